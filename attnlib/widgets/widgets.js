/*
Made by "make widgets" from attnlib/widgets/src.

preact 11.2.0

The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

d3-interpolate 3.0.1

Copyright 2010-2021 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

d3-color 3.1.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
*/
var Co=Object.defineProperty;var Z=(e,t)=>{for(var n in t)Co(e,n,{get:t[n],enumerable:!0})};var Ao='script[type="application/vnd.attnlib.widget+json"]',Ht=class{#e;#t=new EventTarget;constructor(t){this.#e=t}get(t){return this.#e[t]}set(t,n){this.#e[t]!==n&&(this.#e[t]=n,this.#t.dispatchEvent(new CustomEvent(`change:${t}`)))}on(t,n){this.#t.addEventListener(t,n)}off(t,n){this.#t.removeEventListener(t,n)}save_changes(){}};function It(e,t){for(let n of e.querySelectorAll(Ao)){if(n.dataset.enlivened)continue;n.dataset.enlivened="true";let r=document.createElement("div");try{let a=JSON.parse(n.textContent),i={...a.traits,_class:a.class,_kernel:!1};t({model:new Ht(i),el:r})}catch(a){console.error("a widget could not be brought to life:",a);continue}n.after(r),n.closest(".attnlib-widget")?.classList.add("attnlib-enlivened")}}var C,Bn,Eo,le,Rt,ht,zn,dt,Vn,Lt,Dt,To,Ve=Symbol.for("pv"),pt={},mt=[],qo=/^m(i|n|o|s|text|space)$/,Ot=Array.isArray,Un=mt.slice,me=Object.assign;function pe(e){e&&e.parentNode&&e.remove()}function ut(e,t,n,r,a){var i={type:e,props:t,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Ve,__v:a||++Bn,__i:-1,__u:0};return!a&&C.vnode&&C.vnode(i),i}function N(e){return e.children}function Ne(e,t){this.props=e,this.context=t,this.__g=0}function ce(e,t){if(t==null)return e.__&&ce(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:ce(e)}function Po(e){var t,n=e.__v,r=n.__e,a=[],i=[],s=e.__P;s&&((t=me({constructor:Ve},n)).__v=n.__v+1,C.vnode&&C.vnode(t),Ft(s,t,n,e.__n,s.namespaceURI,32&n.__u?[r]:null,a,r||ce(n),32&n.__u,i),t.__v=n.__v,t.__.__k[t.__i]=t,Xn(a,t,i),n.__=n.__e=null,t.__e!=r&&jn(t))}function jn(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),jn(e)}function Fn(e){(8&e.__g||(e.__g|=8,le.push(e),ht++))&&Rt==C.debounceRendering||((Rt=C.debounceRendering)||queueMicrotask)(Gn)}function Gn(){try{for(var e,t=1;le.length;)le.length>t&&le.sort(zn),e=le.shift(),t=le.length,8&e.__g&&Po(e)}finally{(ht=le.length)&&(Rt||queueMicrotask)(Gn)}}function Yn(e,t,n,r,a,i,s,l,d,f,u){var p,m,c,g,w,v,y=r.__k||mt,_=t.length;for(d=Ho(n,t,y,d,_),p=0;p<_;p++)(c=n.__k[p])!=null&&(m=~c.__i&&y[c.__i]||pt,c.__i=p,v=Ft(e,c,m,a,i,s,l,d,f,u),g=c.__e,(m.ref!=c.ref||8&m.__u)&&(m.ref&&Wt(m.ref,null,c,m),c.ref&&u.push(c.ref,c.__c||g,c)),w=w||g,4&c.__u?(d=Kn(c,d,e,!m.__v),m.__e&&(m.__e=null)):typeof c.type=="function"&&v!==void 0?d=v:g&&(d=g.nextSibling),c.__u&=-21);return n.__e=w,d}function Ho(e,t,n,r,a){var i,s,l,d,f,u,p,m,c,g=n.length,w=g,v=0,y=0,_=e.__k=Array(a);for(i=0;i<a;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=_[i]=ut(null,s):Ot(s)?s=_[i]=ut(N,{children:s}):s.constructor===Ve&&s.__b?s=_[i]=ut(s.type,s.props,s.key,s.ref,s.__v):_[i]=s,d=i+v,s.__=e,s.__b=e.__b+1,l=null,~(f=s.__i=Io(s,n,d,w))&&(w--,(l=n[f])&&(l.__u|=2)),l&&l.__v?(s.__u|=16,f==d-1?v--:f==d+1?v++:f!=d&&(f>d?v--:v++,y=1)):(~f||(a>g?v--:a<g&&v++),typeof s.type!="function"&&(s.__u|=4))):_[i]=null;if(y){for(u=[],p=[],i=0;i<a;i++)if((s=_[i])&&16&s.__u){for(v=0,m=u.length;v<m;)u[c=v+m>>1]<s.__i?v=c+1:m=c;u[v]=s.__i,p[i]=v+1}for(v=u.length;i--;)p[i]&&(p[i]==v?v--:_[i].__u|=4)}if(w)for(i=0;i<g;i++)!(l=n[i])||2&l.__u||(l.__e==r&&(r=ce(l)),Bt(l,l));return r}function Kn(e,t,n,r){var a,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;if(a=e.__k)for(i=0;i<a.length;i++)a[i]&&(a[i].__=e,t=Kn(a[i],t,n,!1));return t}for(t&&!t.parentNode&&(t=ce(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==8;)l=l.nextSibling;for(s!=l&&(!r&&n.moveBefore&&s.parentNode?n.moveBefore(s,t):n.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function Io(e,t,n,r){var a,i=e.key,s=e.type,l=t[n],d=l&&!(2&l.__u);if(l===null&&i==null||d&&i==l.key&&s==l.type)return n;if(r>(d?1:0)){for(a=n-1;a>=0;a--)if((l=t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a;for(a=n+1;a<t.length;a++)if((l=t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a}return-1}function Wn(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function ct(e,t,n,r,a){var i,s;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof r=="string"&&(e.style.cssText=r=""),r)for(t in r)n&&t in n||Wn(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||Wn(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[t]=n,n&&r||(s=Dt[t]||(Dt[t]=Ro(t)),(e.__a||(e.__a={}))[t]=Lt,i=t!=(t=t.replace(Vn,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(a=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function Ro(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[dt]==null)t[dt]=Lt++;else if(t[dt]<this.__a[e])return;return n(C.event?C.event(t):t)}}}function Ft(e,t,n,r,a,i,s,l,d,f){var u,p,m,c,g,w,v,y,_,x,h,$,M,k,S,se,U,Q,X=t.type;if(t.constructor!==Ve)return null;128&n.__u&&(d=32&n.__u,u=n.__c.__z)&&(t.__u|=d,p=i=[],u.nodeType==8?l=ft(u,i):i.push(u),l=i[0]||l),(u=C.__b)&&u(t);e:if(typeof X=="function"){m=s.length;try{if(y=t.props,_=(u=X.prototype)&&u.render,x=(u=X.contextType)&&r[u.__c],h=u?x?x.props.value:u.__:r,(c=n.__c)?(t.__c=c,2&c.__g&&(c.__g|=1)):(_?t.__c=c=new X(y,h):(t.__c=c=new Ne(y,h),c.constructor=X,c.render=Lo),x&&x.sub(c),c.state||(c.state={}),c.__n=r,c.__g|=8,c.__h=[],c.__k=[]),_&&(c.__s||(c.__s=c.state),X.getDerivedStateFromProps&&(c.__s==c.state&&(c.__s=me({},c.__s)),me(c.__s,X.getDerivedStateFromProps(y,c.__s)))),g=c.props,w=c.state,c.__v=t,n.__c){if(y!==g&&_&&!X.getDerivedStateFromProps&&c.componentWillReceiveProps&&c.componentWillReceiveProps(y,h),t.__v==n.__v&&!(8&c.__g)||!(4&c.__g)&&c.shouldComponentUpdate&&c.shouldComponentUpdate(y,c.__s,h)===!1){t.__v!=n.__v&&(c.props=y,c.state=c.__s,c.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(O){O&&(O.__=t)}),mt.push.apply(c.__h,c.__k),c.__k=[],c.__h.length&&s.push(c),l=ce(n);break e}c.componentWillUpdate&&c.componentWillUpdate(y,c.__s,h),_&&c.componentDidUpdate&&c.__h.push(function(){c.componentDidUpdate(g,w,v)})}else _&&!X.getDerivedStateFromProps&&c.componentWillMount&&c.componentWillMount(),_&&c.componentDidMount&&c.__h.push(c.componentDidMount);c.context=h,c.props=y,c.__P=e,c.__g&=-5,$=C.__r,M=_?25:0;do c.__g&=-9,$&&$(t),u=c.render(c.props,c.state=c.__s,c.context);while(8&c.__g&&++M<25);_&&(mt.push.apply(c.__h,c.__k),c.__k=[]),c.state=c.__s,c.getChildContext&&(r=me({},r,c.getChildContext())),_&&n.__c&&c.getSnapshotBeforeUpdate&&(v=c.getSnapshotBeforeUpdate(g,w)),k=u&&u.type===N&&u.key==null?u.props.children:u,y.__P&&(u=l,a=(e=y.__P).namespaceURI,d=i=null,n.props&&n.props.__P!=e&&(n.__k.some(function(O){O&&Bt(O,O)}),n.__k=null),l=n.__k?ce(n,0):null),l=Yn(e,Ot(k)?k:[k],t,n,r,a,i,s,l,d,f),y.__P&&(t.__e=null,l=u),t.__u&=-161,p&&p.some(pe),c.__h.length&&s.push(c),1&c.__g&&(c.__g&=-4)}catch(O){if(s.length=m,t.__v=null,d||i)if(O&&O.then){if(t.__u|=128|d,i){for(~(U=i.indexOf(l||void 0))||(U=i.length);(Q=i[U-1])&&Q.nodeType==8;)U--;for(;U<i.length;U++)if(Q=i[U])if(i[U]=null,S){if(Q==se)break}else{if(Q.nodeType!=8)break;Q.data.startsWith("$s")&&(se=ft(S=Q))}}if(!S){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;S=l}(u=ft(S=t.__c.__z||(t.__c.__z=S)))?(t.__e=S,l=u):t.__e=l,l=l&&l.nextSibling}else i&&i.some(pe);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),O&&O.then||Qn(t),C.__e(O,t,n)}}else l=t.__e=Do(n.__e,t,n,r,a,i,s,d,f,e);return(u=C.diffed)&&u(t),l}function ft(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function Qn(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Qn))}function Xn(e,t,n){for(var r=0;r<n.length;)Wt(n[r++],n[r++],n[r++]);C.__c&&C.__c(t,e),e.some(function(a){try{e=a.__h,a.__h=[],e.some(function(i){i.call(a)})}catch(i){C.__e(i,a.__v)}})}function Do(e,t,n,r,a,i,s,l,d,f){var u,p,m,c,g,w,v,y,_=n.props||pt,x=t.props,h=t.type;if(h=="svg"?a="http://www.w3.org/2000/svg":h=="math"?a="http://www.w3.org/1998/Math/MathML":a||(a="http://www.w3.org/1999/xhtml"),i){for(u=0;u<i.length;u++)if((g=i[u])&&(h?g.localName==h:g.nodeType==3)){e=g,i[u]=null;break}}if(!e){if(y=f.ownerDocument||document,!h)return y.createTextNode(x);e=y.createElementNS(a,h,x.is?x:f),l&&(C.__m&&C.__m(t,i),l=!1),i=null}if(h){if(f=h=="template"&&e.content||e,i=h=="textarea"&&x.defaultValue!=null?null:i&&Un.call(f.childNodes),!l&&i)for(_={},u=0;u<e.attributes.length;u++)_[(g=e.attributes[u]).name]=g.value;for(u in _)g=_[u],u=="dangerouslySetInnerHTML"?m=g:u=="children"||u in x||u=="value"&&"defaultValue"in x||u=="checked"&&"defaultChecked"in x||ct(e,u,null,g,a);for(u in x)g=x[u],u=="children"?c=g:u=="dangerouslySetInnerHTML"?p=g:u=="value"?w=g:u=="checked"?v=g:l&&typeof g!="function"||_[u]===g||ct(e,u,g,_[u],a);p?(l||m&&(p.__html==m.__html||p.__html==e.innerHTML)||(e.innerHTML=p.__html),t.__k=[]):(m&&(e.textContent=""),(h=="foreignObject"||a=="http://www.w3.org/1998/Math/MathML"&&qo.test(h))&&(a="http://www.w3.org/1999/xhtml"),Yn(f,Ot(c)?c:[c],t,n,r,a,i,s,i?i[0]:n.__k&&ce(n,0),l,d),i&&i.some(pe)),l&&h!="textarea"||(u="value",h=="progress"&&w==null?e.removeAttribute(u):w==null||w===e[u]&&(h!="progress"||w)||ct(e,u,w,_[u],a),u="checked",v!=null&&v!=e[u]&&ct(e,u,v,_[u],a))}else _===x||l&&e.data==x||(e.data=x);return e}function Wt(e,t,n,r){try{typeof e=="function"?t?t.__x=e(t)||1:r&&(r=r.__c||r.__e)&&(t=r.__x)&&(r.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(a){C.__e(a,n)}}function Bt(e,t,n){var r,a,i,s;if(C.unmount&&C.unmount(e),!(r=e.ref)||r.current&&r.current!=e.__e||Wt(r,null,t,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(l){C.__e(l,t)}r.__P=r.__n=null}if(r=e.__k)for(s=0;s<r.length;s++)r[s]&&Bt(r[s],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(r=e.__c)&&(r=r.__z)&&(a=ft(r,i=[]))&&(r==e.__e&&i.some(pe),pe(a),pe(r)),n||pe(e.__e),e.__e=e.__c=e.__=null}function Lo(e,t,n){return this.constructor(e,n)}function zt(e,t){var n,r,a,i;C.__&&C.__(e,t),t.nodeType==9&&(t=t.documentElement),r=(n=e&&32&e.__u)?null:t.__k,t.__k=ut(N,{children:[e]}),a=[],i=[],Ft(t,t.__k,r||pt,pt,t.namespaceURI,r?null:t.firstChild?Un.call(t.childNodes):null,a,r?r.__e:t.firstChild,n,i),Xn(a,t.__k,i),t.__k.props.children=null}C={__e:function(e,t,n,r){for(var a,i,s;t=t.__;)if((a=t.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(i=a.constructor)&&i.getDerivedStateFromError)&&a.setState(i.getDerivedStateFromError(e)),a.componentDidCatch&&(a.componentDidCatch(e,r||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(l){e=l}}throw ht=0,e}},Bn=0,Eo=function(e){return e!=null&&e.constructor===Ve},Ne.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=me({},this.state)),typeof e=="function"&&(e=e(me({},n),this.props)),e&&(me(n,e),this.__v&&(t&&this.__k.push(t),Fn(this)))},Ne.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Fn(this))},Ne.prototype.render=N,le=[],ht=0,zn=function(e,t){return e.__v.__b-t.__v.__b},dt=Symbol(),Vn=/(PointerCapture)$|Capture$/i,Lt=0,Dt={},To=0;var ge,E,Vt,Zn,Ut=Object.is,je=0,sr=[],jt=[],A=C,Jn=A.__b,er=A.__r,tr=A.diffed,nr=A.__c,rr=A.unmount,or=A.__;function Ge(e,t){A.__h&&A.__h(E,e,je||t),je=0;var n=E.__H||(E.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function R(e){return je=1,Oo(dr,e)}function Oo(e,t,n){var r=Ge(ge++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):dr(void 0,t),function(i){var s=(r.__N||r.__)[0],l=r.t(s,i);Ut(s,l)||(r.__N=[l,r.__[1]],r.__c.setState({}))}],r.__c=E,!E.__f)){E.__f=!0;var a=E.shouldComponentUpdate;E.shouldComponentUpdate=function(i,s,l){var d=this.__H;if(!d)return!0;var f=!1,u=this.props!=i;if(d.__.some(function(m){m.__N&&(f=!0,Ut(m.__[0],m.__N[0])||(u=!0))}),a){var p=a.call(this,i,s,l);return f?p||u:p}return!f||u}}return r.__}function xe(e,t){var n=Ge(ge++,3);!A.__s&&Yt(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,E.__H.__h.push(n))}function lr(e,t){var n=Ge(ge++,4);!A.__s&&Yt(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,E.__h.push(n))}function F(e){return je=5,_e(function(){return{current:e}},[])}function _e(e,t){var n=Ge(ge++,7);return Yt(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function cr(e,t){return je=8,_e(function(){return e},t)}function gt(){var e=Ge(ge++,11);if(!e.__){for(var t=E.__v;!t.__m&&t.__;)t=t.__;var n=t.__m||(t.__m=[0,0]);e.__="P"+n[0]+"-"+n[1]++}return e.__}function Fo(){var e;do{for(;e=jt.shift();)try{Ue(e)}catch(n){A.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=sr.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Ue),t.__h.some(Gt),t.__h=[]}catch(n){t.__h=[],A.__e(n,e.__v)}}}while(jt.length)}A.__b=function(e){E=null,Jn&&Jn(e)},A.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),or&&or(e,t)},A.__r=function(e){er&&er(e),ge=0;var t=(E=e.__c).__H;t&&(Vt==E?E.__h=[]:(t.__h.some(Ue),t.__h.some(Gt),ge=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Vt=E},A.diffed=function(e){tr&&tr(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&ir(sr.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Vt=E=null},A.__c=function(e,t){t.some(function(n){try{n.__h.some(Ue),n.__h=n.__h.filter(function(r){return!r.__||Gt(r)})}catch(r){n.__h=[function(){throw r}]}}),nr&&nr(e,t)},A.unmount=function(e){rr&&rr(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(a){try{if(a.__P&&a.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}a.__P=n,ir(jt.push(a))}else Ue(a)}catch(i){t=i}}),r.__H=void 0,t&&A.__e(t,r.__v))};var ar=typeof requestAnimationFrame=="function";function Wo(e){var t,n=function(){clearTimeout(r),ar&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);ar&&(t=requestAnimationFrame(n))}function ir(e){e!=1&&Zn==A.requestAnimationFrame||((Zn=A.requestAnimationFrame)||Wo)(Fo)}function Ue(e){var t=E,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),E=t}function Gt(e){var t=E;e.__c=e.__(),E=t}function Yt(e,t){return!e||e.length!=t.length||t.some(function(n,r){return!Ut(n,e[r])})}function dr(e,t){return typeof t=="function"?t(e):t}var ur=`:host {
  display: block;
  max-width: 60rem;
}

.widget {
  --paper: #ffffff;
  --ink: #1f2328;
  --soft: #57606a; /* 6:1 on paper */
  --line: #8a929b; /* 3:1 */
  --faint: #e4e7eb;
  --warn: #a40e26;
  --focus: #1f2328;
  --first: #1f7fb8; /* the sky blue and the orange of the figures, dark enough for lines on paper */
  --second: #b87400;
  box-sizing: border-box;
  container-type: inline-size;
  padding: 0.75rem;
  border: 1px solid var(--faint);
  border-radius: 6px;
  background: var(--paper);
  color: var(--ink);
  color-scheme: light;
  font: 14px/1.4 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums;
  text-align: start;
}

.widget[data-theme="dark"] {
  --paper: #16181d;
  --ink: #e8eaed;
  --soft: #b3bac2;
  --line: #7c858f;
  --faint: #343a42;
  --warn: #ff9a9a;
  --focus: #ffffff;
  --first: #56b4e9;
  --second: #e69f00;
  color-scheme: dark;
}

*,
::before,
::after {
  box-sizing: border-box;
}

:focus-visible {
  outline: 3px solid var(--focus);
  outline-offset: 2px;
}

.unseen {
  position: absolute;
  overflow: hidden;
  width: 1px;
  height: 1px;
  margin: 0;
  clip-path: inset(50%);
  white-space: nowrap;
}

/* Layout: a picture beside its controls where there is room, below each other where not. */

.columns {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.75rem 1.5rem;
}

@container (min-width: 38rem) {
  .columns {
    grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
  }

  .columns.even {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  }
}

.columns > div {
  min-width: 0;
}

p {
  margin: 0.4rem 0;
}

.title {
  margin: 0.5rem 0 0.25rem;
  font-size: 1em;
  font-weight: 600;
}

.note {
  color: var(--soft);
}

/* Controls */

.controls {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1.25rem;
  align-items: end;
  margin-bottom: 0.5rem;
}

.control {
  display: grid;
  flex: 1 1 18rem;
  grid-template-columns: auto minmax(5rem, 1fr) 4.5rem;
  gap: 0.6rem;
  align-items: center;
}

.control .reading {
  font-weight: 600;
}

input {
  accent-color: var(--ink);
  font: inherit;
}

input[type="range"] {
  width: 100%;
  min-height: 28px;
  margin: 0;
}

input[type="number"] {
  width: 5em;
  min-height: 28px;
  padding: 0 0.25rem;
  border: 1px solid var(--line);
  border-radius: 4px;
  background: var(--paper);
  color: var(--ink);
}

.number {
  display: inline-flex;
  gap: 0.4rem;
  align-items: center;
}

.toggle {
  display: inline-flex;
  gap: 0.4rem;
  align-items: center;
  min-height: 28px;
}

input[type="checkbox"] {
  width: 18px;
  height: 18px;
}

button {
  min-height: 28px;
  padding: 0.1rem 0.6rem;
  border: 1px solid var(--line);
  border-radius: 4px;
  background: var(--paper);
  color: var(--ink);
  font: inherit;
  cursor: pointer;
}

button[aria-disabled="true"] {
  border-style: dashed;
  color: var(--soft);
  cursor: default;
}

button[aria-pressed="true"] {
  background: var(--ink);
  color: var(--paper);
}

fieldset {
  min-width: 0;
  margin: 0;
  padding: 0;
  border: 0;
}

legend {
  padding: 0;
  color: var(--soft);
}

.options {
  display: flex;
  flex-wrap: wrap;
  gap: 4px;
}

.choice label {
  position: relative;
  min-width: 28px;
  min-height: 28px;
  padding: 0.15rem 0.55rem;
  border: 1px solid var(--line);
  border-radius: 4px;
  text-align: center;
  cursor: pointer;
}

.choice input {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  margin: 0;
  cursor: pointer;
  opacity: 0;
}

.choice label.chosen {
  background: var(--ink);
  color: var(--paper);
}

.choice label:has(:focus-visible) {
  outline: 3px solid var(--focus);
  outline-offset: 2px;
}

bdi {
  display: inline-block;
  overflow: hidden;
  max-width: 9em;
  vertical-align: bottom;
  text-overflow: ellipsis;
  white-space: nowrap;
}

/* Numbers */

.facts {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr));
  gap: 0.4rem 1rem;
  margin: 0.5rem 0;
}

.facts dt {
  color: var(--soft);
  font-size: 0.9em;
}

.facts dd {
  margin: 0;
  font-size: 1.15em;
  font-weight: 600;
}

.facts .wrong dd,
.wrong {
  color: var(--warn);
}

.scroll {
  overflow-x: auto;
  max-width: 100%;
  padding: 3px;
}

.matrix {
  border-spacing: 2px;
  border-collapse: separate;
}

.matrix th {
  max-width: 7em;
  padding: 0 0.3rem;
  font-weight: 400;
  text-align: center;
}

.matrix th[scope="col"] bdi {
  max-width: 6.4em; /* less than the cell */
}

.matrix th[scope="row"] {
  text-align: end;
}

.matrix th.corner {
  color: var(--soft);
  font-size: 0.85em;
}

.matrix td {
  min-width: 3em;
  height: 1.9em;
  padding: 0 0.25rem;
  border-radius: 2px;
  text-align: center;
}

.matrix td.hidden {
  background: repeating-linear-gradient(45deg, var(--faint) 0 3px, transparent 3px 7px);
  color: var(--soft);
}

.matrix th.marked,
.matrix tr.marked th {
  font-weight: 700;
  text-decoration: underline;
  text-underline-offset: 3px;
}

.matrix tr.marked td {
  outline: 2px solid var(--ink);
}

.matrix td.extra {
  padding-inline-start: 0.75rem;
}

/* Roles wear their colour as a mark, and their name in ink: two of the colours are pale. */

.role-query,
.role-key,
.role-value,
.role-output {
  border-inline-start: 5px solid;
  padding-inline-start: 0.4rem;
}

.role-query {
  border-color: var(--query);
}

.role-key {
  border-color: var(--key);
}

.role-value {
  border-color: var(--value);
}

.role-output {
  border-color: var(--output);
}

/* Pictures */

svg {
  display: block;
  width: 100%;
  height: auto;
  overflow: visible;
}

svg text {
  fill: var(--ink);
  font-size: 13px;
}

svg .soft {
  fill: var(--soft);
}

svg .halo {
  paint-order: stroke;
  stroke: var(--paper);
  stroke-width: 4px;
  stroke-linejoin: round;
}

.handle {
  cursor: grab;
  touch-action: none;
}

.handle:focus-visible {
  outline: none;
}

.handle:focus-visible .ring {
  stroke: var(--focus);
  stroke-width: 3px;
}

.verdict {
  padding: 0.4rem 0.6rem;
  border-inline-start: 4px solid var(--line);
  overflow-wrap: anywhere;
  white-space: pre-line;
}

.verdict.broken {
  border-color: var(--warn);
  color: var(--warn);
}

@media (forced-colors: active) {
  .matrix td {
    forced-color-adjust: none;
  }
}
`;function Te(e,t,n){e.prototype=t.prototype=n,n.constructor=e}function Qe(e,t){var n=Object.create(e.prototype);for(var r in t)n[r]=t[r];return n}function de(){}var we=.7,Ee=1/we,Ce="\\s*([+-]?\\d+)\\s*",Ye="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",Y="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",zo=/^#([0-9a-f]{3,8})$/,Vo=new RegExp(`^rgb\\(${Ce},${Ce},${Ce}\\)$`),Uo=new RegExp(`^rgb\\(${Y},${Y},${Y}\\)$`),jo=new RegExp(`^rgba\\(${Ce},${Ce},${Ce},${Ye}\\)$`),Go=new RegExp(`^rgba\\(${Y},${Y},${Y},${Ye}\\)$`),Yo=new RegExp(`^hsl\\(${Ye},${Y},${Y}\\)$`),Ko=new RegExp(`^hsla\\(${Ye},${Y},${Y},${Ye}\\)$`),fr={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};Te(de,qe,{copy(e){return Object.assign(new this.constructor,this,e)},displayable(){return this.rgb().displayable()},hex:hr,formatHex:hr,formatHex8:Qo,formatHsl:Xo,formatRgb:pr,toString:pr});function hr(){return this.rgb().formatHex()}function Qo(){return this.rgb().formatHex8()}function Xo(){return kr(this).formatHsl()}function pr(){return this.rgb().formatRgb()}function qe(e){var t,n;return e=(e+"").trim().toLowerCase(),(t=zo.exec(e))?(n=t[1].length,t=parseInt(t[1],16),n===6?mr(t):n===3?new T(t>>8&15|t>>4&240,t>>4&15|t&240,(t&15)<<4|t&15,1):n===8?xt(t>>24&255,t>>16&255,t>>8&255,(t&255)/255):n===4?xt(t>>12&15|t>>8&240,t>>8&15|t>>4&240,t>>4&15|t&240,((t&15)<<4|t&15)/255):null):(t=Vo.exec(e))?new T(t[1],t[2],t[3],1):(t=Uo.exec(e))?new T(t[1]*255/100,t[2]*255/100,t[3]*255/100,1):(t=jo.exec(e))?xt(t[1],t[2],t[3],t[4]):(t=Go.exec(e))?xt(t[1]*255/100,t[2]*255/100,t[3]*255/100,t[4]):(t=Yo.exec(e))?_r(t[1],t[2]/100,t[3]/100,1):(t=Ko.exec(e))?_r(t[1],t[2]/100,t[3]/100,t[4]):fr.hasOwnProperty(e)?mr(fr[e]):e==="transparent"?new T(NaN,NaN,NaN,0):null}function mr(e){return new T(e>>16&255,e>>8&255,e&255,1)}function xt(e,t,n,r){return r<=0&&(e=t=n=NaN),new T(e,t,n,r)}function en(e){return e instanceof de||(e=qe(e)),e?(e=e.rgb(),new T(e.r,e.g,e.b,e.opacity)):new T}function ke(e,t,n,r){return arguments.length===1?en(e):new T(e,t,n,r??1)}function T(e,t,n,r){this.r=+e,this.g=+t,this.b=+n,this.opacity=+r}Te(T,ke,Qe(de,{brighter(e){return e=e==null?Ee:Math.pow(Ee,e),new T(this.r*e,this.g*e,this.b*e,this.opacity)},darker(e){return e=e==null?we:Math.pow(we,e),new T(this.r*e,this.g*e,this.b*e,this.opacity)},rgb(){return this},clamp(){return new T(ye(this.r),ye(this.g),ye(this.b),bt(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:gr,formatHex:gr,formatHex8:Zo,formatRgb:xr,toString:xr}));function gr(){return`#${be(this.r)}${be(this.g)}${be(this.b)}`}function Zo(){return`#${be(this.r)}${be(this.g)}${be(this.b)}${be((isNaN(this.opacity)?1:this.opacity)*255)}`}function xr(){let e=bt(this.opacity);return`${e===1?"rgb(":"rgba("}${ye(this.r)}, ${ye(this.g)}, ${ye(this.b)}${e===1?")":`, ${e})`}`}function bt(e){return isNaN(e)?1:Math.max(0,Math.min(1,e))}function ye(e){return Math.max(0,Math.min(255,Math.round(e)||0))}function be(e){return e=ye(e),(e<16?"0":"")+e.toString(16)}function _r(e,t,n,r){return r<=0?e=t=n=NaN:n<=0||n>=1?e=t=NaN:t<=0&&(e=NaN),new j(e,t,n,r)}function kr(e){if(e instanceof j)return new j(e.h,e.s,e.l,e.opacity);if(e instanceof de||(e=qe(e)),!e)return new j;if(e instanceof j)return e;e=e.rgb();var t=e.r/255,n=e.g/255,r=e.b/255,a=Math.min(t,n,r),i=Math.max(t,n,r),s=NaN,l=i-a,d=(i+a)/2;return l?(t===i?s=(n-r)/l+(n<r)*6:n===i?s=(r-t)/l+2:s=(t-n)/l+4,l/=d<.5?i+a:2-i-a,s*=60):l=d>0&&d<1?0:s,new j(s,l,d,e.opacity)}function Jo(e,t,n,r){return arguments.length===1?kr(e):new j(e,t,n,r??1)}function j(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Te(j,Jo,Qe(de,{brighter(e){return e=e==null?Ee:Math.pow(Ee,e),new j(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?we:Math.pow(we,e),new j(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=this.h%360+(this.h<0)*360,t=isNaN(e)||isNaN(this.s)?0:this.s,n=this.l,r=n+(n<.5?n:1-n)*t,a=2*n-r;return new T(Kt(e>=240?e-240:e+120,a,r),Kt(e,a,r),Kt(e<120?e+240:e-120,a,r),this.opacity)},clamp(){return new j(br(this.h),_t(this.s),_t(this.l),bt(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let e=bt(this.opacity);return`${e===1?"hsl(":"hsla("}${br(this.h)}, ${_t(this.s)*100}%, ${_t(this.l)*100}%${e===1?")":`, ${e})`}`}}));function br(e){return e=(e||0)%360,e<0?e+360:e}function _t(e){return Math.max(0,Math.min(1,e||0))}function Kt(e,t,n){return(e<60?t+(n-t)*e/60:e<180?n:e<240?t+(n-t)*(240-e)/60:t)*255}var $r=Math.PI/180,Mr=180/Math.PI,yt=18,Sr=.96422,Nr=1,Cr=.82521,Ar=4/29,Ae=6/29,Er=3*Ae*Ae,ea=Ae*Ae*Ae;function Tr(e){if(e instanceof K)return new K(e.l,e.a,e.b,e.opacity);if(e instanceof J)return qr(e);e instanceof T||(e=en(e));var t=Jt(e.r),n=Jt(e.g),r=Jt(e.b),a=Qt((.2225045*t+.7168786*n+.0606169*r)/Nr),i,s;return t===n&&n===r?i=s=a:(i=Qt((.4360747*t+.3850649*n+.1430804*r)/Sr),s=Qt((.0139322*t+.0971045*n+.7141733*r)/Cr)),new K(116*a-16,500*(i-a),200*(a-s),e.opacity)}function vt(e,t,n,r){return arguments.length===1?Tr(e):new K(e,t,n,r??1)}function K(e,t,n,r){this.l=+e,this.a=+t,this.b=+n,this.opacity=+r}Te(K,vt,Qe(de,{brighter(e){return new K(this.l+yt*(e??1),this.a,this.b,this.opacity)},darker(e){return new K(this.l-yt*(e??1),this.a,this.b,this.opacity)},rgb(){var e=(this.l+16)/116,t=isNaN(this.a)?e:e+this.a/500,n=isNaN(this.b)?e:e-this.b/200;return t=Sr*Xt(t),e=Nr*Xt(e),n=Cr*Xt(n),new T(Zt(3.1338561*t-1.6168667*e-.4906146*n),Zt(-.9787684*t+1.9161415*e+.033454*n),Zt(.0719453*t-.2289914*e+1.4052427*n),this.opacity)}}));function Qt(e){return e>ea?Math.pow(e,1/3):e/Er+Ar}function Xt(e){return e>Ae?e*e*e:Er*(e-Ar)}function Zt(e){return 255*(e<=.0031308?12.92*e:1.055*Math.pow(e,1/2.4)-.055)}function Jt(e){return(e/=255)<=.04045?e/12.92:Math.pow((e+.055)/1.055,2.4)}function ta(e){if(e instanceof J)return new J(e.h,e.c,e.l,e.opacity);if(e instanceof K||(e=Tr(e)),e.a===0&&e.b===0)return new J(NaN,0<e.l&&e.l<100?0:NaN,e.l,e.opacity);var t=Math.atan2(e.b,e.a)*Mr;return new J(t<0?t+360:t,Math.sqrt(e.a*e.a+e.b*e.b),e.l,e.opacity)}function na(e,t,n,r){return arguments.length===1?ta(e):new J(e,t,n,r??1)}function J(e,t,n,r){this.h=+e,this.c=+t,this.l=+n,this.opacity=+r}function qr(e){if(isNaN(e.h))return new K(e.l,0,0,e.opacity);var t=e.h*$r;return new K(e.l,Math.cos(t)*e.c,Math.sin(t)*e.c,e.opacity)}Te(J,na,Qe(de,{brighter(e){return new J(this.h,this.c,this.l+yt*(e??1),this.opacity)},darker(e){return new J(this.h,this.c,this.l-yt*(e??1),this.opacity)},rgb(){return qr(this).rgb()}}));var Pr=-.14861,tn=1.78277,nn=-.29227,wt=-.90649,Ke=1.97294,yr=Ke*wt,vr=Ke*tn,wr=tn*nn-wt*Pr;function ra(e){if(e instanceof ve)return new ve(e.h,e.s,e.l,e.opacity);e instanceof T||(e=en(e));var t=e.r/255,n=e.g/255,r=e.b/255,a=(wr*r+yr*t-vr*n)/(wr+yr-vr),i=r-a,s=(Ke*(n-a)-nn*i)/wt,l=Math.sqrt(s*s+i*i)/(Ke*a*(1-a)),d=l?Math.atan2(s,i)*Mr-120:NaN;return new ve(d<0?d+360:d,l,a,e.opacity)}function oa(e,t,n,r){return arguments.length===1?ra(e):new ve(e,t,n,r??1)}function ve(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Te(ve,oa,Qe(de,{brighter(e){return e=e==null?Ee:Math.pow(Ee,e),new ve(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?we:Math.pow(we,e),new ve(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=isNaN(this.h)?0:(this.h+120)*$r,t=+this.l,n=isNaN(this.s)?0:this.s*t*(1-t),r=Math.cos(e),a=Math.sin(e);return new T(255*(t+n*(Pr*r+tn*a)),255*(t+n*(nn*r+wt*a)),255*(t+n*(Ke*r)),this.opacity)}}));function rn(e,t,n,r,a){var i=e*e,s=i*e;return((1-3*e+3*i-s)*t+(4-6*i+3*s)*n+(1+3*e+3*i-3*s)*r+s*a)/6}function Hr(e){var t=e.length-1;return function(n){var r=n<=0?n=0:n>=1?(n=1,t-1):Math.floor(n*t),a=e[r],i=e[r+1],s=r>0?e[r-1]:2*a-i,l=r<t-1?e[r+2]:2*i-a;return rn((n-r/t)*t,s,a,i,l)}}function Ir(e){var t=e.length;return function(n){var r=Math.floor(((n%=1)<0?++n:n)*t),a=e[(r+t-1)%t],i=e[r%t],s=e[(r+1)%t],l=e[(r+2)%t];return rn((n-r/t)*t,a,i,s,l)}}var Xe=e=>()=>e;function aa(e,t){return function(n){return e+n*t}}function ia(e,t,n){return e=Math.pow(e,n),t=Math.pow(t,n)-e,n=1/n,function(r){return Math.pow(e+r*t,n)}}function Rr(e){return(e=+e)==1?ee:function(t,n){return n-t?ia(t,n,e):Xe(isNaN(t)?n:t)}}function ee(e,t){var n=t-e;return n?aa(e,n):Xe(isNaN(e)?t:e)}var on=(function e(t){var n=Rr(t);function r(a,i){var s=n((a=ke(a)).r,(i=ke(i)).r),l=n(a.g,i.g),d=n(a.b,i.b),f=ee(a.opacity,i.opacity);return function(u){return a.r=s(u),a.g=l(u),a.b=d(u),a.opacity=f(u),a+""}}return r.gamma=e,r})(1);function Dr(e){return function(t){var n=t.length,r=new Array(n),a=new Array(n),i=new Array(n),s,l;for(s=0;s<n;++s)l=ke(t[s]),r[s]=l.r||0,a[s]=l.g||0,i[s]=l.b||0;return r=e(r),a=e(a),i=e(i),l.opacity=1,function(d){return l.r=r(d),l.g=a(d),l.b=i(d),l+""}}}var Ki=Dr(Hr),Qi=Dr(Ir);function Lr(e,t){t||(t=[]);var n=e?Math.min(t.length,e.length):0,r=t.slice(),a;return function(i){for(a=0;a<n;++a)r[a]=e[a]*(1-i)+t[a]*i;return r}}function Or(e){return ArrayBuffer.isView(e)&&!(e instanceof DataView)}function Fr(e,t){var n=t?t.length:0,r=e?Math.min(n,e.length):0,a=new Array(r),i=new Array(n),s;for(s=0;s<r;++s)a[s]=Pe(e[s],t[s]);for(;s<n;++s)i[s]=t[s];return function(l){for(s=0;s<r;++s)i[s]=a[s](l);return i}}function Wr(e,t){var n=new Date;return e=+e,t=+t,function(r){return n.setTime(e*(1-r)+t*r),n}}function Ze(e,t){return e=+e,t=+t,function(n){return e*(1-n)+t*n}}function Br(e,t){var n={},r={},a;(e===null||typeof e!="object")&&(e={}),(t===null||typeof t!="object")&&(t={});for(a in t)a in e?n[a]=Pe(e[a],t[a]):r[a]=t[a];return function(i){for(a in n)r[a]=n[a](i);return r}}var sn=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,an=new RegExp(sn.source,"g");function sa(e){return function(){return e}}function la(e){return function(t){return e(t)+""}}function zr(e,t){var n=sn.lastIndex=an.lastIndex=0,r,a,i,s=-1,l=[],d=[];for(e=e+"",t=t+"";(r=sn.exec(e))&&(a=an.exec(t));)(i=a.index)>n&&(i=t.slice(n,i),l[s]?l[s]+=i:l[++s]=i),(r=r[0])===(a=a[0])?l[s]?l[s]+=a:l[++s]=a:(l[++s]=null,d.push({i:s,x:Ze(r,a)})),n=an.lastIndex;return n<t.length&&(i=t.slice(n),l[s]?l[s]+=i:l[++s]=i),l.length<2?d[0]?la(d[0].x):sa(t):(t=d.length,function(f){for(var u=0,p;u<t;++u)l[(p=d[u]).i]=p.x(f);return l.join("")})}function Pe(e,t){var n=typeof t,r;return t==null||n==="boolean"?Xe(t):(n==="number"?Ze:n==="string"?(r=qe(t))?(t=r,on):zr:t instanceof qe?on:t instanceof Date?Wr:Or(t)?Lr:Array.isArray(t)?Fr:typeof t.valueOf!="function"&&typeof t.toString!="function"||isNaN(t)?Br:Ze)(e,t)}function Je(e,t){var n=ee((e=vt(e)).l,(t=vt(t)).l),r=ee(e.a,t.a),a=ee(e.b,t.b),i=ee(e.opacity,t.opacity);return function(s){return e.l=n(s),e.a=r(s),e.b=a(s),e.opacity=i(s),e+""}}function et(e,t){t===void 0&&(t=e,e=Pe);for(var n=0,r=t.length-1,a=t[0],i=new Array(r<0?0:r);n<r;)i[n]=e(a,a=t[++n]);return function(s){var l=Math.max(0,Math.min(r-1,Math.floor(s*=r)));return i[l](s-l)}}var ca=Symbol.for("pv"),da=0;function o(e,t,n,r,a,i){t||(t={});var s,l,d=t;if("ref"in d&&typeof e!="function")for(l in d={},t)l=="ref"?s=t[l]:d[l]=t[l];var f={type:e,props:d,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:ca,__v:--da,__i:-1,__u:0};return(a||i)&&(f.__source=a,f.__self=i),C.vnode&&C.vnode(f),f}function b(e,t=2){if(Number.isNaN(e))return"nan";if(!Number.isFinite(e))return e>0?"inf":"−inf";let n=Math.abs(e),a=n!==0&&(n>=1e5||n<.5*10**-t)&&n>=1e5?e.toExponential(1):e.toFixed(t);return(/[1-9]/.test(a)?a:a.replace("-","")).replaceAll("-","−")}var ua={light:["#ffffff","#cfe1f2","#6aaed6","#2070b4","#08306b"],dark:["#16181d","#123055","#1c5c9c","#62a8d8","#dcebf8"]},fa={light:["#8a4b00","#f0b45c","#ffffff","#79bfe6","#0b4a75"],dark:["#ffd9a0","#a86a10","#16181d","#1d6d9c","#bfe4fb"]},Vr=e=>{let t={};return n=>t[n]??=e(n)},ha=Vr(e=>et(Je,ua[e])),pa=Vr(e=>et(Je,fa[e])),ma={};function tt(e,{theme:t="light",twoSided:n=!1}={}){let r=Number.isFinite(e)?e:0,a=Math.round(1e3*Math.max(0,Math.min(1,n?(r+1)/2:r)));return ma[`${t} ${n} ${a}`]??=ga((n?pa:ha)(t)(a/1e3))}var ga=e=>({background:e,color:xa(e)>.179?"#000000":"#ffffff"});function xa(e){let{r:t,g:n,b:r}=ke(e),[a,i,s]=[t,n,r].map(l=>l/255<=.04045?l/255/12.92:((l/255+.055)/1.055)**2.4);return .2126*a+.7152*i+.0722*s}function te({label:e,value:t,min:n,max:r,step:a=1,say:i=b,onInput:s,role:l}){let d=gt();return o("div",{class:"control",children:[o("label",{for:d,class:l&&`role-${l}`,children:e}),o("input",{id:d,type:"range",min:n,max:r,step:a,value:t,"aria-valuetext":i(t),onInput:f=>s(f.currentTarget.valueAsNumber)}),o("span",{class:"reading","aria-hidden":"true",children:i(t)})]})}function L({label:e,options:t,value:n,onChange:r,onHover:a,names:i=t,words:s=!1}){let l=gt();return o("fieldset",{class:s?"choice words":"choice",children:[o("legend",{children:e}),o("div",{class:"options",children:t.map((d,f)=>o("label",{class:d===n?"chosen":"",onPointerEnter:a&&(()=>a(d)),children:[o("input",{type:"radio",name:l,checked:d===n,onChange:()=>r(d)}),o("bdi",{title:i[f],children:i[f]})]},f))})]})}var ue=({label:e,words:t,value:n,onChange:r,onHover:a})=>o(L,{words:!0,label:e,options:t.map((i,s)=>s),names:t,value:n,onChange:r,onHover:a});function $t({label:e,checked:t,onChange:n}){return o("label",{class:"toggle",children:[o("input",{type:"checkbox",checked:t,onChange:r=>n(r.currentTarget.checked)}),e]})}function $e({label:e,value:t,min:n,max:r,step:a,onChange:i}){let s=gt();return o("span",{class:"number",children:[o("label",{for:s,children:e}),o("input",{id:s,type:"number",min:n,max:r,step:a,value:Number(t.toFixed(6)),onInput:l=>{let d=l.currentTarget.valueAsNumber;Number.isFinite(d)&&i(Math.max(n,Math.min(r,d)))}})]})}function G({said:e,values:t,rows:n,columns:r,corner:a="",digits:i=2,scale:s=1,twoSided:l=!1,theme:d,row:f=null,column:u=null,hidden:p=null,extra:m=null,say:c=w=>b(w,i),onRow:g}){let w=[].concat(m??[]);return o("div",{class:"scroll",tabindex:0,role:"region","aria-label":e,children:o("table",{class:"matrix",children:[o("thead",{children:o("tr",{children:[o("th",{scope:"col",class:"corner",children:a}),r.map((v,y)=>o("th",{scope:"col",class:y===u?"marked":"",children:o("bdi",{title:v,children:v})},y)),w.map(({name:v})=>o("th",{scope:"col",class:"extra",children:v},v))]})}),o("tbody",{children:t.map((v,y)=>o("tr",{class:y===f?"marked":"",onPointerEnter:g&&(()=>g(y)),children:[o("th",{scope:"row",children:o("bdi",{title:n[y],children:n[y]})}),v.map((_,x)=>o("td",{class:p?.[y][x]?"hidden":"",style:p?.[y][x]?void 0:tt(_/s,{theme:d,twoSided:l}),children:c(_)},x)),w.map(_=>o("td",{class:`extra ${_.wrong?.(_.values[y])?"wrong":""}`,children:_.say(_.values[y])},_.name))]},y))})]})})}var q=({facts:e})=>o("dl",{class:"facts",children:e.filter(Boolean).map(([t,n,r])=>o("div",{class:r??"",children:[o("dt",{children:t}),o("dd",{children:n})]},t))});function H({text:e}){let[t,n]=R(""),r=F(!0);return xe(()=>{if(r.current){r.current=!1;return}let a=setTimeout(()=>n(e),400);return()=>clearTimeout(a)},[e]),o("p",{class:"unseen",role:"status",children:t})}var _a=2e3;function He({_plugged:e,_kernel:t,_answer:n,_asked:r}){let a=e&&t&&(n?.asked??0)!==(r??0),[i,s]=R(!1);if(xe(()=>{if(s(!1),!a)return;let d=setTimeout(()=>s(!0),_a);return()=>clearTimeout(d)},[a,r]),!e)return null;let l=n.error??n.said;return t?i&&(l=`${n.name} is still running; if it never ends, interrupt the kernel.`):l=`${n.name} runs in a notebook; on this page the picture is drawn by attnlib's own function.`,o("p",{class:n.error&&t?"verdict broken":"verdict",role:t?"status":void 0,children:l})}var Ie=({_plugged:e,_kernel:t,_answer:n,_asked:r})=>e&&t&&n?.name&&!n.error?{...n,late:n.asked!==r}:null,kt=class extends Ne{state={failed:null};componentDidCatch(t){console.error(t),this.setState({failed:t,at:this.props.children})}render({children:t},{failed:n,at:r}){return!n||r!==t?t:o("p",{class:"verdict broken",role:"alert",children:["This widget could not be drawn: ",n.message]})}};var ln=matchMedia("(prefers-color-scheme: dark)"),ba=["_colors","_kernel","_plugged","_answer","_asked"];function jr(e,t,{View:n,traits:r,style:a}){let i=t.attachShadow({mode:"open"});t.setAttribute("data-lm-suppress-shortcuts","true"),t.classList.add("attnlib-live");let s=document.createElement("style");s.textContent=ur+a;let l=document.createElement("div");l.className="widget";for(let[d,f]of Object.entries(e.get("_colors")))l.style.setProperty(`--${d}`,f);return i.replaceChildren(s,l),zt(o(ya,{place:l,model:e,View:n,names:[...r,...ba]}),l),()=>zt(null,l)}function ya({place:e,model:t,View:n,names:r}){let a=()=>Object.fromEntries(r.map(f=>[f,t.get(f)])),[i,s]=R(a),l=va(e);xe(()=>{let f=()=>s(a());for(let u of r)t.on(`change:${u}`,f);return f(),()=>r.forEach(u=>t.off(`change:${u}`,f))},[t]);let d=cr(f=>{let u=t.get("_plugged")?{_asked:(t.get("_asked")??0)+1}:{};for(let[p,m]of Object.entries({...f,...u}))t.set(p,m);t.save_changes()},[t]);return o(kt,{children:o(n,{...i,theme:l,set:d})})}function va(e){let[t,n]=R(Ur);return lr(()=>{e.dataset.theme=t},[t]),xe(()=>{let r=()=>n(Ur()),a=new MutationObserver(r);return a.observe(document.body,{attributeFilter:["data-jp-theme-light"]}),a.observe(document.documentElement,{attributeFilter:["data-theme"]}),ln.addEventListener("change",r),()=>{a.disconnect(),ln.removeEventListener("change",r)}},[]),t}function Ur(){let e=document.body.dataset.jpThemeLight,t=document.documentElement.dataset.theme;return(e?e==="false":t==="dark"||t!=="light"&&ln.matches)?"dark":"light"}function Re(e=640){let t=F(null),[n,r]=R(e);return xe(()=>{let a=new ResizeObserver(([i])=>{i.contentRect.width>0&&r(Math.round(i.contentRect.width))});return a.observe(t.current),()=>a.disconnect()},[]),[t,n]}var Kr={};Z(Kr,{DIVISORS:()=>Sn,alibiSlopes:()=>kn,angle:()=>cn,attentionScores:()=>Le,causalMask:()=>xn,cosine:()=>Se,difference:()=>Mt,dot:()=>W,entropy:()=>B,expectedSpread:()=>Nn,fullMask:()=>gn,histogram:()=>Mn,keptWeights:()=>mn,length:()=>I,links:()=>pn,maskedWeights:()=>fn,mean:()=>Me,mix:()=>Oe,naiveExponentials:()=>De,naiveSoftmax:()=>un,normals:()=>ot,packedMask:()=>yn,paddingMask:()=>bn,projection:()=>dn,rotate:()=>St,rowChanges:()=>nt,rowSums:()=>fe,sampledScores:()=>Cn,sinusoidalPositions:()=>vn,softmax:()=>ne,spread:()=>$n,wavelengths:()=>wn,weightsMaskedAfter:()=>hn,windowMask:()=>_n});var W=(e,t)=>e.reduce((n,r,a)=>n+r*t[a],0),I=e=>Math.hypot(...e);function Se(e,t){let n=I(e)*I(t);return n===0?0:Math.max(-1,Math.min(1,W(e,t)/n))}function cn(e,t){return I(e)===0||I(t)===0?NaN:Math.acos(Se(e,t))*180/Math.PI}function dn(e,t){let n=W(e,t)/W(t,t);return t.map(r=>n*r)}function ne(e,t=1){let n=Math.max(...e);return n===-1/0?e.map(()=>0):Yr(e.map(r=>Math.exp((r-n)/t)))}var De=(e,t=1)=>e.map(n=>Math.exp(n/t)),un=(e,t=1)=>Yr(De(e,t));function Yr(e){let t=e.reduce((n,r)=>n+r,0);return e.map(n=>n/t)}var B=e=>e.reduce((t,n)=>n>0?t-n*Math.log(n):t,0),Le=(e,t,n=1/Math.sqrt(e[0].length))=>e.map(r=>t.map(a=>W(r,a)*n)),fn=(e,t)=>e.map((n,r)=>ne(n.map((a,i)=>t[r][i]?a:-1/0))),hn=(e,t)=>e.map((n,r)=>ne(n).map((a,i)=>t[r][i]?a:0)),Oe=(e,t)=>e.map(n=>t[0].map((r,a)=>n.reduce((i,s,l)=>s===0?i:i+s*t[l][a],0))),fe=e=>e.map(t=>t.reduce((n,r)=>n+r,0)),Mt=(e,t)=>e.map((n,r)=>n.map((a,i)=>a-t[r][i])),nt=(e,t)=>Mt(e,t).map(n=>n.reduce((r,a)=>Math.max(r,Math.abs(a)),0)),pn=(e,t)=>e.flatMap((n,r)=>n.flatMap((a,i)=>a>=t?[[r,i]]:[])),mn=(e,t)=>fe(e.map(n=>n.map(r=>r>=t?r:0))),rt=(e,t)=>Array.from({length:e},(n,r)=>Array.from({length:e},(a,i)=>t(r,i))),gn=e=>rt(e,()=>!0),xn=e=>rt(e,(t,n)=>n<=t),_n=(e,t)=>rt(e,(n,r)=>Math.abs(n-r)<=t),bn=(e,t)=>rt(e,(n,r)=>r<t),yn=(e,t)=>rt(e,(n,r)=>n<t==r<t),vn=(e,t,n=1e4)=>Array.from({length:e},(r,a)=>Array.from({length:t},(i,s)=>{let l=a*n**(-(s-s%2)/t);return s%2?Math.cos(l):Math.sin(l)})),wn=(e,t=1e4)=>Array.from({length:e/2},(n,r)=>2*Math.PI*t**(2*r/e));function St(e,t,n=1e4){let r=[];for(let a=0;a<e.length;a+=2){let i=t*n**(-a/e.length),[s,l]=[Math.sin(i),Math.cos(i)];r.push(e[a]*l-e[a+1]*s,e[a]*s+e[a+1]*l)}return r}function kn(e){let t=2**Math.floor(Math.log2(e)),n=a=>Array.from({length:a},(i,s)=>2**(-8*(s+1)/a)),r=n(2*t).filter((a,i)=>i%2===0);return[...n(t),...r.slice(0,e-t)]}function Me(e){return e.reduce((t,n)=>t+n,0)/e.length}function $n(e){let t=Me(e);return Math.sqrt(Me(e.map(n=>(n-t)**2)))}function Mn(e,t,n){let r=Array(n).fill(0);for(let a of e){let i=Math.floor((a+t)/(2*t)*n);i>=0&&i<n&&(r[i]+=1)}return r}function Gr(e,t){let n=e+Math.imul(t,2654435769)|0;return n=Math.imul(n^n>>>16,2146121005),n=Math.imul(n^n>>>15,2221713035),(n^n>>>16)>>>0}function ot(e,t){let n=new Float64Array(e);for(let r=0;r<e;r+=2){let a=Math.sqrt(-2*Math.log((Gr(r,t)+.5)/4294967296)),i=2*Math.PI*(Gr(r+1,t)+.5)/2**32;n[r]=a*Math.cos(i),r+1<e&&(n[r+1]=a*Math.sin(i))}return n}var Sn={none:()=>1,"sqrt d":e=>Math.sqrt(e),d:e=>e,"sqrt n":(e,t)=>Math.sqrt(t)},Nn=(e,t,n)=>Math.sqrt(e)/Sn[n](e,t);function Cn(e,{d:t,dMost:n,nQueries:r,nKeys:a,divisor:i}){let s=Sn[i](t,a);return Array.from({length:r},(l,d)=>{let f=d*(a+1)*n;return Array.from({length:a},(u,p)=>{let m=f+(p+1)*n,c=0;for(let g=0;g<t;g+=1)c+=e[f+g]*e[m+g];return c/s})})}var An={};Z(An,{View:()=>Na,style:()=>Qr,traits:()=>ka});var Qr=`.columns.one {
  grid-template-columns: minmax(0, 1fr);
}

.arcs {
  direction: ltr; /* a sentence's first word stands first, as in the table */
}

.arcs bdi {
  max-width: 100%;
}

.arcs .head,
.arcs legend {
  margin: 0;
  color: var(--soft);
  line-height: 1.5rem;
}

.arcs .asking .options label {
  border-color: var(--query);
  border-width: 2px;
}

.arcs ul {
  margin: 0;
  padding: 0;
  list-style: none;
}

.arcs li {
  min-width: 0;
  padding: 0.1rem 0.2rem;
  border: 2px solid var(--key);
  border-radius: 4px;
}

.arcs li.read {
  font-weight: 700;
}

.ribbon {
  fill: none;
  stroke: var(--line);
  stroke-opacity: 0.35;
}

.ribbon.strong {
  stroke: var(--query);
  stroke-opacity: 1;
}

/* Two rows of words, the ribbons between them. */

.in-rows .options,
.in-rows ul {
  display: grid;
  grid-auto-columns: minmax(0, 1fr);
  grid-auto-flow: column;
  gap: 0;
}

.in-rows .options label,
.in-rows li {
  min-width: 0;
  margin: 0 3px;
  padding: 0.15rem 0.2rem;
  text-align: center;
}

.in-rows .answering {
  display: flex;
  flex-direction: column-reverse;
}

.in-rows .weight {
  display: block;
  min-height: 1.4em;
}

/* Two columns, where a row has no room. */

.in-columns {
  display: grid;
  grid-template-columns: minmax(0, 4fr) minmax(3rem, 4fr) minmax(0, 5fr);
  max-width: 40rem;
}

.in-rows svg {
  height: var(--depth);
}

.in-columns svg {
  height: var(--across);
  margin-top: 1.5rem;
}

.in-columns .head,
.in-columns legend {
  overflow: visible;
  white-space: nowrap;
}

.in-columns .options,
.in-columns ul {
  display: grid;
  grid-auto-rows: minmax(0, 1fr);
  gap: 0;
  align-items: center;
  height: var(--across);
}

.in-columns .options label,
.in-columns li {
  min-height: 28px;
}

.in-columns li {
  display: flex;
  gap: 0.4rem;
  justify-content: space-between;
}

.table tbody {
  cursor: pointer;
}

.table bdi {
  max-width: 6.2em;
}

.table .corner {
  white-space: nowrap;
}

@container (max-width: 26rem) {
  .table td {
    min-width: 2.5em;
    padding: 0 0.1rem;
  }

  .table th {
    padding: 0 0.15rem;
  }
}

.sentence {
  min-height: 2.8em;
}
`;var ka=["weights","targets","sources","target","threshold"],$a=60,Ma=32,at=150,Sa=24,Xr=5;function Na({weights:e,targets:t,sources:n,target:r,threshold:a,theme:i,set:s}){let[l,d]=R(null),f=l!==null&&l<t.length?l:r,u=k=>{d(null),s({target:k})},p=pn(e,a),m=mn(e,a),c=fe(e),g=p.filter(([k])=>k===f),w=e.map(k=>k.map(S=>S<a)),v=n.length-g.length,y=g.map(([,k])=>k).sort((k,S)=>e[f][S]-e[f][k]),_={word:[t,f],read:y.slice(0,Xr).map(k=>[[n,k],b(e[f][k])]),more:Math.max(0,y.length-Xr),rest:v===0?"None of its weights is hidden.":`Hidden, since below ${b(a)}: ${v} of its ${n.length} weights, ${b(c[f]-m[f])} together. They are hatched in the table.`},x=Math.max(t.length,n.length)<=6,$=o("div",{class:"table",onClick:k=>{let S=k.target.closest("tbody tr");S&&u(S.sectionRowIndex)},children:o(G,{said:"weights: each row a target word (query), each column a source word (key)",corner:o(N,{children:["key →",o("br",{}),"query ↓"]}),values:e,rows:t,columns:n,row:f,hidden:w,theme:i,onRow:d,extra:{name:"shown",values:m,say:b}})},"table"),M=o("div",{children:[o("p",{class:"sentence",children:o(Ca,{..._})}),o(q,{facts:[["all links shown",`${p.length} of ${t.length*n.length}`],["this word's links",`${g.length} of ${n.length}`],["this word's weight",`${b(m[f])} of ${b(c[f])}`]]})]},"told");return o(N,{children:[o("div",{class:"controls",children:o(te,{label:"hide weights below",value:a,min:0,max:1,step:.01,onInput:k=>s({threshold:k})})}),o("div",{class:x?"columns even":"columns one",onPointerLeave:()=>d(null),children:[o("div",{children:o(Ea,{weights:e,targets:t,sources:n,linked:p,target:r,looked:f,choose:u,onHover:d})}),o("div",{children:x?[$,M]:[M,$]})]}),o(H,{text:Aa(_)})]})}function Zr({of:[e,t]}){return o(N,{children:[o("bdi",{title:e[t],children:e[t]}),Jr(e,t)]})}var Jr=(e,t)=>e.indexOf(e[t])===e.lastIndexOf(e[t])?"":` (${t})`;function Ca({word:e,read:t,more:n,rest:r}){return o(N,{children:[o("strong",{children:o(Zr,{of:e})})," ",t.length===0?"has no link left":"reads ",t.map(([a,i],s)=>o("span",{children:[s>0&&", ",o(Zr,{of:a})," ",i]},s)),n>0&&` and ${n} more`,". ",r]})}function Aa({word:e,read:t,more:n,rest:r}){let a=([l,d])=>l[d]+Jr(l,d),i=t.map(([l,d])=>`${a(l)} ${d}`).join(", "),s=i?`reads ${i}`:"has no link left";return`${a(e)} ${s}${n>0?` and ${n} more`:""}. ${r}`}function Ea({weights:e,targets:t,sources:n,linked:r,target:a,looked:i,choose:s,onHover:l}){let[d,f]=Re(),u=Math.max(t.length,n.length),p=f/u>=$a,m=p?f:u*Ma,[c,g]=p?[f,at]:[100,m],w=Math.min(Sa,.8*(m/u)),v=([x,h])=>{let $=(x+.5)*m/t.length,M=(h+.5)*m/n.length;return p?`M${$},0 C${$},${at/2} ${M},${at/2} ${M},${at}`:`M0,${$} C50,${$} 50,${M} 100,${M}`},y=[...r.filter(([x])=>x!==i),...r.filter(([x])=>x===i)],_=new Set(r.filter(([x])=>x===i).map(([,x])=>x));return o("div",{class:p?"arcs in-rows":"arcs in-columns",ref:d,style:{"--across":`${m}px`,"--depth":`${at}px`},children:[o("div",{class:"side asking",children:o(ue,{label:"target word (query)",words:t,value:a,onChange:s,onHover:l})}),o("svg",{viewBox:`0 0 ${c} ${g}`,preserveAspectRatio:"none",role:"img","aria-label":`ribbons for ${r.length} links; the table has their weights`,children:y.map(([x,h])=>o("path",{class:x===i?"ribbon strong":"ribbon",d:v([x,h]),"vector-effect":"non-scaling-stroke","stroke-width":w*e[x][h]},`${x} ${h}`))}),o("div",{class:"side answering",children:[o("p",{class:"head","aria-hidden":"true",children:"source word (key)"}),o("ul",{"aria-label":"source words (keys)",children:n.map((x,h)=>o("li",{class:_.has(h)?"read":"",children:[o("bdi",{title:x,children:x})," ",o("span",{class:"weight",children:_.has(h)&&b(e[i][h])})]},h))})]})]})}var En={};Z(En,{View:()=>Ha,style:()=>eo,traits:()=>qa});var eo=`.plane {
  max-width: 30rem;
  margin: 0 auto;
}

.plane .grid line {
  stroke: var(--faint);
}

.plane .axis line {
  stroke: var(--line);
}

.plane .tick {
  font-size: 12px;
}

.arrow line {
  stroke-width: 3.5px;
}

.first line,
.first polygon {
  fill: var(--first);
  stroke: var(--first);
}

.second line,
.second polygon {
  fill: var(--second);
  stroke: var(--second);
}

.line-of-b {
  stroke: var(--line);
  stroke-dasharray: 1 5;
}

.drop {
  stroke: var(--line);
  stroke-dasharray: 6 4;
  stroke-width: 1.5px;
}

.shadow {
  stroke: var(--soft);
  stroke-width: 9px;
  stroke-opacity: 0.55;
}

.shadow.negative {
  stroke: var(--warn);
}

.handle .ring {
  fill: transparent;
  stroke: var(--line);
  stroke-dasharray: 2 3;
}

.handle .grip {
  fill: var(--ink);
}

@container (max-width: 26rem) {
  .plane text,
  .plane .tick {
    font-size: 17px; /* the drawing shrinks, its words should not */
  }
}
`;var qa=["a","b","snap"],oe=5,it=40,re=2*(oe+.4)*it,V=re/2,Pa={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]},z=([e,t])=>[V+e*it,V-t*it],to=e=>Math.max(-oe,Math.min(oe,e)),no=e=>`(${b(e[0],1)}, ${b(e[1],1)})`;function Ha({a:e,b:t,snap:n,set:r}){let a=W(e,t),i=dn(e,t),s=I(e)===0||I(t)===0,l=Math.abs(a)<1e-9?"zero":a>0?"positive":"negative",d=s?"A zero vector has no direction.":`The arrows ${{zero:"stand at right angles",positive:"point to the same side, less than 90° apart",negative:"point apart, by more than 90°"}[l]}.`,f=[["dot product a · b",`${b(a)}, ${l}`],["length of a",b(I(e))],["length of b",b(I(t))],["angle",s?"none":`${b(cn(e,t),1)}°`],["cosine",s?"0.00, by convention":b(Se(e,t))],["a along b (signed length)",I(t)===0?"none":b(a/I(t))]];return o(N,{children:[o("div",{class:"columns",children:[o("div",{children:o(Ia,{a:e,b:t,shadow:i,sign:l,snap:n,set:r})}),o("div",{children:[o(q,{facts:f}),o("p",{children:d}),o("div",{class:"controls",children:[["a","b"].map(u=>["x","y"].map((p,m)=>o($e,{label:`${u} ${p}`,min:-oe,max:oe,step:n?.5:.1,value:{a:e,b:t}[u][m],onChange:c=>r({[u]:{a:e,b:t}[u].map((g,w)=>w===m?c:g)})},u+p))),o($t,{label:"snap to halves",checked:n,onChange:u=>r({snap:u})})]})]})]}),o(H,{text:`Dot product ${b(a)}, ${l}; cosine ${b(Se(e,t))}. ${d}`})]})}function Ia({a:e,b:t,shadow:n,sign:r,snap:a,set:i}){let s=F(null),l=(x,[h,$])=>{let M=k=>a?Math.round(k*2)/2:Math.round(k*100)/100;i({[x]:[to(M(h)),to(M($))]})},d=x=>h=>{if(!h.currentTarget.hasPointerCapture(h.pointerId))return;let $=s.current.getBoundingClientRect(),M=(h.clientX-$.left)/$.width*re-V,k=V-(h.clientY-$.top)/$.height*re;l(x,[M/it,k/it])},f=(x,h)=>$=>{let M=Pa[$.key];if(!M)return;$.preventDefault();let k=$.shiftKey?1:a?.5:.1;l(x,[h[0]+k*M[0],h[1]+k*M[1]])},u=Array.from({length:2*oe+1},(x,h)=>h-oe),p=[["a",e,"first"],["b",t,"second"]],m=n.every(Number.isFinite),[c,g]=m?z(n):[0,0],[w,v]=z(e),y=m?z(t.map(x=>x*20/I(t))):[0,0],_=m?z(t.map(x=>-x*20/I(t))):[0,0];return o("svg",{class:"plane",ref:s,viewBox:`0 0 ${re} ${re}`,role:"group","aria-label":"plane with the arrows a and b",children:[o("clipPath",{id:"frame",children:o("rect",{width:re,height:re})}),u.map(x=>o("g",{class:x===0?"axis":"grid",children:[o("line",{x1:z([x,0])[0],x2:z([x,0])[0],y1:0,y2:re}),o("line",{y1:z([0,x])[1],y2:z([0,x])[1],x1:0,x2:re})]},x)),[-4,-2,2,4].map(x=>o("g",{"aria-hidden":"true",children:[o("text",{class:"soft tick",x:z([x,0])[0],y:V+16,"text-anchor":"middle",children:b(x,0)}),o("text",{class:"soft tick",x:V-6,y:z([0,x])[1]+4,"text-anchor":"end",children:b(x,0)})]},x)),m&&o("g",{"clip-path":"url(#frame)",children:[o("line",{class:"line-of-b",x1:_[0],y1:_[1],x2:y[0],y2:y[1]}),o("line",{class:"drop",x1:w,y1:v,x2:c,y2:g}),o("line",{class:`shadow ${r}`,x1:V,y1:V,x2:c,y2:g})]}),p.map(([x,h,$])=>o(Ra,{head:z(h),nth:$},x)),p.map(([x,h,$])=>{let[M,k]=z(h);return o("g",{class:`handle ${$}`,tabindex:0,role:"slider","aria-label":`head of ${x}`,"aria-valuenow":h[0],"aria-valuemin":-oe,"aria-valuemax":oe,"aria-valuetext":`${x} = ${no(h)}`,"aria-roledescription":"arrow head, moved with the four arrow keys",onTouchStart:S=>S.preventDefault(),onPointerDown:S=>S.currentTarget.setPointerCapture(S.pointerId),onPointerMove:d(x),onKeyDown:f(x,h),children:[o("circle",{class:"ring",cx:M,cy:k,r:17}),o("circle",{class:"grip",cx:M,cy:k,r:5}),o("text",{class:"halo",x:M,y:h[1]<0?k+34:k-22,"text-anchor":"middle",children:[x," = ",no(h)]})]},x)}),m&&I(n)>.2&&o("text",{class:"halo soft",x:c,y:g+20,"text-anchor":"middle",children:"shadow of a"})]})}function Ra({head:[e,t],nth:n}){let[r,a]=[e-V,t-V],i=Math.hypot(r,a);if(i<1)return null;let[s,l]=[r/i,a/i],d=Math.min(14,i),[f,u]=[e-d*s,t-d*l];return o("g",{class:`arrow ${n}`,children:[o("line",{x1:V,y1:V,x2:f,y2:u}),o("polygon",{points:`${e},${t} ${f-6*l},${u+6*s} ${f+6*l},${u-6*s}`})]})}var qn={};Z(qn,{View:()=>Oa,style:()=>ro,traits:()=>La});var ro=`.heads .words label:hover {
  border-color: var(--ink);
  text-decoration: underline;
}

.heads .matrix {
  border-spacing: 1px;
}

.heads .matrix td:not(.extra) {
  min-width: 2em;
  height: 1.9em;
  padding: 0;
}

.heads .matrix .extra {
  padding-inline: 0.75rem 0.25rem;
  max-width: none;
  text-align: start;
  white-space: nowrap;
}

/* The rows' names stay in sight while the columns scroll. */
.heads .matrix th[scope="row"],
.heads .matrix th.corner {
  position: sticky;
  inset-inline-start: 0;
  padding: 0 0.2rem;
  background: var(--paper);
}

.heads .matrix th[scope="row"] bdi {
  max-width: 6.5em;
}

/* Words stand upright above their narrow columns, and read from below. */
.heads .matrix thead th {
  vertical-align: bottom;
}

.heads .matrix thead th:not(.corner, .extra) {
  padding: 0;
}

.heads .matrix thead th:not(.corner, .extra) bdi {
  max-width: none;
  max-height: 6.5em;
  writing-mode: vertical-rl;
  transform: rotate(180deg);
}

.heads .matrix thead th.corner {
  max-width: 4.5em;
  text-align: end;
}

.pickers,
.pair {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1.25rem;
  margin-top: 0.6rem;
}

.pair {
  gap: 0.5rem;
}

.pair > div {
  max-width: 100%;
}

.pair .matrix {
  font-size: 12px;
}

.pair > div:last-child .matrix td {
  padding: 0 1px;
}

/* Narrow enough for two tables of a dozen words side by side in a notebook. */
@container (min-width: 50rem) and (max-width: 57rem) {
  .pair .matrix {
    font-size: 11.5px;
  }
}
`;var La=["weights","words","head","other","word"],Tn=e=>b(e).replace("0.",".");function Oa({weights:e,words:t,head:n,other:r,word:a,theme:i,set:s}){let[l,d]=R(null),f=t[l]===void 0?a:l,u=()=>d(null),p=e.map(v=>v[f]),m=Mt(e[n],e[r]),c=fe(m.map(v=>v.map(Math.abs))).map(v=>v/2),g=e.map((v,y)=>y),w={theme:i,say:Tn,row:f,rows:t,columns:t,onRow:d,corner:"query ↓ key →"};return o("div",{class:"heads",children:[o("div",{onPointerLeave:u,children:o(ue,{label:"word that asks (query)",words:t,value:a,onChange:v=>{u(),s({word:v})},onHover:d})}),o("p",{class:"title",children:["Weights of ",o("bdi",{children:t[f]})," in every head"]}),o(G,{said:`weights of ${t[f]}: rows are heads, columns are keys`,corner:"head ↓ key →",values:p,rows:g.map(v=>`head ${v}`),columns:t,row:n,theme:i,say:Tn,extra:[{name:"looks most at",values:p,say:v=>o(Wa,{row:v,words:t})},{name:"entropy",values:p,say:v=>b(B(v))}]}),o("div",{class:"pickers",children:[o(L,{label:"head shown in full",options:g,value:n,onChange:v=>s({head:v})}),o(L,{label:"minus head",options:g,value:r,onChange:v=>s({other:v})})]}),o("div",{class:"pair",onPointerLeave:u,children:[o("div",{children:[o("p",{class:"title",children:["Head ",n,", all words"]}),o(G,{said:`weights of head ${n}: rows are queries, columns are keys`,values:e[n],...w})]}),o("div",{children:[o("p",{class:"title",children:["Head ",n," minus head ",r]}),o(G,{said:`head ${n} minus head ${r}: rows are queries, columns are keys`,values:m,twoSided:!0,...w})]})]}),o(q,{facts:[[o(N,{children:["elsewhere, for ",o("bdi",{children:t[f]})]}),b(c[f])],["elsewhere, mean of words",b(Me(c))]]}),o("p",{class:"note",children:["Elsewhere: the share of weight that head ",n," places on other words than head ",r," does. It is half the sum of the differences of a row, without their signs."]}),o(H,{text:Ba({ofWord:p,words:t,shown:f,head:n,other:r,apart:c[f]})})]})}var Fe=e=>Math.max(...e),Fa=(e,t)=>Fe(e)>0?`${t[e.indexOf(Fe(e))]} ${b(Fe(e))}`:"nothing";function Wa({row:e,words:t}){return Fe(e)===0?"nothing":o(N,{children:[o("bdi",{children:t[e.indexOf(Fe(e))]})," ",Tn(Fe(e))]})}function Ba({ofWord:e,words:t,shown:n,head:r,other:a,apart:i}){let s=[r,a].map(l=>`head ${l} looks most at ${Fa(e[l],t)}`).join(", ");return`From ${t[n]}, ${s}; ${b(i)} of the weight lies elsewhere.`}var Pn={};Z(Pn,{View:()=>Ga,style:()=>oo,traits:()=>Va});var oo=`.masking {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem 2rem;
}

.masking > .scroll {
  flex: 0 1 auto;
}

.masking > .side {
  flex: 1 1 19rem;
  min-width: 0;
}

.presets {
  gap: 0.4rem 1rem;
  align-items: center;
}

.preset {
  display: inline-flex;
  flex-wrap: wrap;
  gap: 0.25rem 0.5rem;
  align-items: center;
}

.preset input[type="number"] {
  width: 3.4em;
}

.masking .choice {
  margin-bottom: 0.5rem;
}

.masking .choice:not(.words) bdi {
  max-width: none;
}

.paint td {
  min-width: 0;
  height: auto;
  padding: 0;
}

.paint thead th {
  padding: 0 0.1rem;
}

.paint th[scope="row"] {
  position: sticky;
  z-index: 2;
  inset-inline-start: 0;
  background: var(--paper);
}

/* A finger paints here; beside the cells it scrolls the page. */
.paint button {
  display: block;
  width: 100%;
  min-width: 2.65em;
  height: 30px;
  padding: 0;
  border: 1px solid var(--line);
  border-radius: 2px;
  touch-action: none;
  user-select: none;
}

.paint button:focus-visible {
  position: relative;
  z-index: 1;
  outline-offset: -1px;
}

.paint button.hidden {
  background: repeating-linear-gradient(45deg, var(--faint) 0 3px, transparent 3px 7px);
  color: var(--soft);
}

.paint button.leak {
  color: var(--warn);
  font-weight: 700;
}

.paint th.by-key {
  border-bottom: 4px solid var(--key);
}

.paint th.by-output {
  border-bottom: 4px solid var(--output);
}

.paint th.by-query {
  border-inline-end: 4px solid var(--query);
}

.paint th.extra {
  min-width: 4.5em;
  padding-inline-start: 0.75rem;
  vertical-align: bottom;
}

.paint td.extra {
  padding: 0 0.25rem 0 0.75rem;
  text-align: start;
  white-space: nowrap;
}

.paint bdi {
  max-width: 4.5em;
}

/* Many words: narrow cells of one width, below words that run downwards. */
.paint.many button {
  width: 2.1rem;
  min-width: 0;
  font-size: 12px;
}

.paint.many td.extra {
  padding-inline-start: 0.4rem;
  font-size: 12px;
}

.paint.many .by-key {
  vertical-align: bottom;
}

.paint.many .by-key bdi {
  max-width: none;
  max-height: 6.5em;
  writing-mode: vertical-rl;
}

@container (max-width: 26rem) {
  .paint:not(.many) .extra {
    min-width: 3.5em;
    padding-inline: 0.4rem 0;
    white-space: normal;
  }

  .paint:not(.many) td.extra span {
    display: block;
  }
}

@media (forced-colors: active) {
  .paint button {
    forced-color-adjust: none;
  }
}
`;var Va=["query","key","value","words","mask","when","changed"],st=1e-9,Ua={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0]},ja=e=>e>st&&e<.005?e.toExponential(0).replace("-","−"):b(e),so=e=>Number.isNaN(e)?"is nan":e<=st?"untouched":"changes",ao=e=>!(Math.abs(e-1)<1e-6);function Ga(e){let{words:t,mask:n,when:r,changed:a,theme:i,set:s}=e,l=Ie(e),{weights:d,changes:f}=l?Ka(l):Ya(e),u=d&&fe(d),p=t.map((m,c)=>`${m}: ${u?`sum ${b(u[c])}, `:""}${so(f[c])}`);return o(N,{children:[o(Qa,{mask:n,n:t.length,set:s}),o("div",{class:"masking",children:[o("div",{class:"scroll",children:o(Xa,{words:t,mask:n,weights:d,sums:u,changes:f,changed:a,theme:i,set:s})}),o("div",{class:"side",children:[l?o("p",{class:"note",children:["Whether it hides before or after the softmax is decided inside ",l.name,"."]}):o(L,{label:"hide",options:["before","after"],names:["before the softmax","after the softmax"],value:r,onChange:m=>s({when:m})}),o(ue,{label:"change this word: its key and its value, every feature by +1",words:t,value:a,onChange:m=>s({changed:m})}),!l?.late&&o(Za,{words:t,mask:n,weights:d,changes:f,changed:a,late:!l&&r==="after"}),o("p",{class:"note",children:[n.flat().filter(Boolean).length," of ",t.length**2," pairs may look; hatched: may not look. Press a cell, or drag over several. Keys: arrows move, Space or Enter toggles."]})]})]}),o(He,{...e}),o(H,{text:`If ${t[a]} changes. ${p.join("; ")}.`})]})}function Ya({query:e,key:t,value:n,mask:r,when:a,changed:i}){let s=a==="after"?hn:fn,l=u=>u.map((p,m)=>m===i?p.map(c=>c+1):p),d=s(Le(e,t),r),f=s(Le(e,l(t)),r);return{weights:d,changes:nt(Oe(f,l(n)),Oe(d,n))}}var Ka=({weights:e,changes:t})=>({weights:e?.map(n=>n.map(Number)),changes:t.map(Number)});function Qa({mask:e,n:t,set:n}){let[r,a]=R({padding:Math.max(1,t-1),window:Math.min(1,t-1),packed:Math.ceil(t/2)}),i=[{name:"all",make:()=>gn(t)},{name:"causal",make:()=>xn(t)},{name:"padding",make:s=>bn(t,s),label:"real words",most:t},{name:"window",make:s=>_n(t,s),label:"to either side",most:t-1},{name:"packed",make:s=>yn(t,s),label:"words in sentence 1",most:t}];return o("div",{class:"controls presets",role:"group","aria-label":"masks to start from",children:i.map(({name:s,make:l,label:d,most:f})=>{let u=l(r[s]);return o("span",{class:"preset",children:[o("button",{type:"button","aria-pressed":u.every((p,m)=>p.every((c,g)=>c===e[m][g])),onClick:()=>n({mask:u}),children:s}),d&&o($e,{label:d,min:0,max:f,step:1,value:r[s],onChange:p=>{let m=Math.round(p);a({...r,[s]:m}),n({mask:l(m)})}})]},s)})})}function Xa({words:e,mask:t,weights:n,sums:r,changes:a,changed:i,theme:s,set:l}){let[[d,f],u]=R([0,0]),p=F(null),m=_=>{let{painted:x,may:h,at:$}=p.current,M=Math.max(1,..._.map((k,S)=>Math.abs(k-$[S])));for(let k=0;k<=M;k+=1){let[S,se]=$.map((U,Q)=>Math.round(U+(_[Q]-U)*k/M));x[S][se]=h}p.current.at=_,l({mask:x.map(k=>[...k])})},c=(_,x)=>h=>{h.button===0&&(h.currentTarget.setPointerCapture(h.pointerId),p.current={painted:t.map($=>[...$]),may:!t[_][x],at:[_,x],going:!0},m([_,x]))},g=_=>{if(!p.current?.going)return;let h=_.currentTarget.getRootNode().elementFromPoint(_.clientX,_.clientY)?.closest?.("[data-cell]")?.dataset.cell.split(" ").map(Number);h&&String(h)!==String(p.current.at)&&m(h)},w=()=>{p.current&&(p.current.going=!1)},v=(_,x)=>h=>{let $=h.detail>0&&p.current;p.current=null,$||l({mask:t.map((M,k)=>M.map((S,se)=>k===_&&se===x?!S:S))})},y=(_,x)=>h=>{let $={Home:[_,0],End:[_,e.length-1]},[M,k]=Ua[h.key]??[],S=$[h.key]??(M===void 0?null:[_+M,x+k]);S&&(h.preventDefault(),h.currentTarget.closest("table").querySelector(`[data-cell="${S[0]} ${S[1]}"]`)?.focus())};return o("table",{class:e.length>8?"matrix paint many":"matrix paint","aria-label":"mask and weights: rows are queries, columns are keys",children:[o("thead",{children:o("tr",{children:[o("th",{scope:"col",class:"corner",children:["query ↓",o("br",{}),"key →"]}),e.map((_,x)=>o("th",{scope:"col",class:x===i?"by-key marked":"by-key",children:o("bdi",{title:_,children:_})},x)),r&&o("th",{scope:"col",class:"extra",children:"row sum"}),o("th",{scope:"col",class:"extra by-output",children:["output, if ",o("bdi",{children:e[i]})," changes"]})]})}),o("tbody",{children:e.map((_,x)=>o("tr",{children:[o("th",{scope:"row",class:"by-query",children:o("bdi",{title:_,children:_})}),e.map((h,$)=>{let M=n?.[x][$],k=t[x][$];return o("td",{children:o("button",{type:"button",class:k?"":!k&&n&&M!==0?"hidden leak":"hidden",style:k?tt(M??0,{theme:s}):void 0,"data-cell":`${x} ${$}`,tabIndex:x===d&&$===f?0:-1,"aria-pressed":k,"aria-label":`${_} may look at ${h}${n?`, weight ${b(M)}`:""}`,onFocus:()=>u([x,$]),onPointerDown:c(x,$),onPointerMove:g,onPointerUp:w,onPointerCancel:w,onClick:v(x,$),onKeyDown:y(x,$),children:n?b(M):k?"●":"×"})},$)}),r&&o("td",{class:ao(r[x])?"extra sum wrong":"extra sum",children:[b(r[x]),ao(r[x])&&o(N,{children:[", ",o("span",{children:t[x].some(Boolean)?"not 1":"sees nothing"})]})]}),o("td",{class:lo(t,a,i,x)||Number.isNaN(a[x])?"extra change wrong":"extra change",children:[o("span",{children:so(a[x])})," ",a[x]>st&&o("span",{children:["by ",ja(a[x])]})]})]},x))})]})}var lo=(e,t,n,r)=>!e[r][n]&&t[r]>st;function Za({words:e,mask:t,weights:n,changes:r,changed:a,late:i}){let s=e.map((p,m)=>m).filter(p=>!t[p][a]),l=s.filter(p=>lo(t,r,a,p)),d=s.filter(p=>r[p]<=st),f=n?.flat().filter((p,m)=>p!==0&&!t.flat()[m]).length??0,u=o("bdi",{children:e[a]});return o("div",{class:"finding",children:[s.length===0&&o("p",{children:["Everybody may look at ",u,"."]}),d.length>0&&o("p",{children:[o(io,{words:e,places:d})," may not look at ",u,": untouched."]}),l.length>0&&o("p",{class:"wrong",children:[o(io,{words:e,places:l})," may not look at ",u,", and ",l.length===1?"changes":"change"," all the same: ",i?"the softmax divided by a sum that had seen it.":"it leaks."]}),f>0&&o("p",{class:"wrong",children:[f," hidden ",f===1?"cell is":"cells are"," not 0."]})]})}var io=({words:e,places:t})=>t.map((n,r)=>o("span",{children:[r>0&&", ",o("bdi",{children:e[n]})]},n));var In={};Z(In,{View:()=>oi,style:()=>co,traits:()=>ei});var co=`.control label {
  white-space: nowrap;
}

.both {
  display: flex;
  flex-wrap: wrap;
  gap: 6px;
}

.matrix {
  font-size: 13px;
}

.matrix td {
  padding: 0 0.15rem;
}

.role-end {
  border-inline-start: 5px solid;
  padding-inline-start: 0.4rem;
}

.role-end.first {
  border-color: var(--first);
}

.role-end.second {
  border-color: var(--second);
}

.clocks {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(5.4rem, 1fr));
  gap: 0.6rem 0.4rem;
  margin: 0.5rem 0;
}

.clock {
  display: grid;
  justify-items: center;
  line-height: 1.25;
}

.clock svg {
  width: 4.6rem;
  margin-bottom: 0.2rem;
}

.clock .product {
  font-weight: 600;
}

.dial {
  fill: none;
  stroke: var(--line);
}

.hand line {
  stroke: var(--hand);
  stroke-width: 2.5px;
}

.hand.dashed line {
  stroke-dasharray: 4 2;
  stroke-width: 1.8px;
}

.hand circle {
  fill: var(--hand);
}

.hand.dashed circle {
  fill: var(--paper);
  stroke: var(--hand);
  stroke-width: 1.4px;
}

.of-first {
  --hand: var(--first);
}

.of-second {
  --hand: var(--second);
}

.of-query {
  --hand: var(--query);
}

.of-key {
  --hand: var(--key);
}

.sample {
  display: inline-block;
  width: 30px;
  vertical-align: middle;
}

.curve {
  cursor: crosshair;
  touch-action: pan-y;
}

.curve .grid line {
  stroke: var(--faint);
}

.curve .here {
  stroke: var(--line);
  stroke-dasharray: 2 4;
  stroke-width: 1.5px;
}

.curve .there {
  stroke: var(--ink);
}

.curve .main,
.curve .other {
  fill: none;
  stroke: var(--line);
}

.curve .main {
  stroke: var(--ink);
  stroke-width: 2px;
}

.curve .dots {
  fill: none;
  stroke: var(--ink);
  stroke-linecap: round; /* a line of no length is a dot */
  stroke-width: 4.5px;
}

.curve .mark {
  fill: var(--paper);
  stroke: var(--ink);
  stroke-width: 3px;
}
`;var ei=["learned","n_positions","d_model","first","second","scheme","head"],mo=8,ti=8,Nt=Array.from({length:mo},(e,t)=>t),go=kn(mo),Hn={sinusoidal:"sinusoidal",learned:"learned",rotary:"rotary",alibi:"ALiBi"},ni={sinusoidal:"Move both by one, and compare the numbers under the clocks, and the cosine.",learned:"A learned table has no clocks. Move both by one, and compare the cosine.",rotary:"Move both by one, and compare query · key. Then let the key stand behind the query.",alibi:"ALiBi has no clocks and no rows: each head adds −slope × distance to its scores. Steep heads look nearby."},uo=e=>e.split(" ").map(Number),ri=e=>e&&{d:e.d,features:e.features.map(uo),cosines:e.cosines.map(t=>uo(t).map(n=>n/1e4))},xo={sinusoidal({n_positions:e,d_model:t,first:n,second:r}){let a=vn(e,t);return{rows:[a[n],a[r]],at:i=>Se(a[n],a[i])}},learned({learned:{features:e,cosines:t},first:n,second:r}){let a=i=>t[Math.max(n,i)][Math.min(n,i)];return{rows:[e[n],e[r]],at:a}},rotary({d_model:e,first:t,second:n}){let r=Array.from(ot(2*e,ti)),a=St(r.slice(0,e),t),i=s=>St(r.slice(e),s);return{rows:[a,i(n)],at:s=>W(a,i(s))}},alibi:({first:e,head:t})=>({rows:null,at:n=>Ct(t,n-e)})},Ct=(e,t)=>-go[e]*Math.abs(t);function oi(e){let{n_positions:t,d_model:n,first:r,second:a,scheme:i,head:s,theme:l,set:d}=e,f=_e(()=>ri(e.learned),[e.learned]),u={...e,learned:f},{rows:p,at:m}=xo[i](u),c=Array.from({length:t},(k,S)=>m(S)),g=i==="rotary"||i==="alibi",w=g?["query","key"]:["first","second"],v=g?i==="rotary"?"query · key":`bias of head ${s}`:"cosine",y=Math.abs(a-r),_=a===r?"":a>r?" ahead":" behind",x=k=>d({first:r+k,second:a+k}),h=k=>Math.min(r,a)+k>=0&&Math.max(r,a)+k<t,$=_e(()=>ai(u),[f,t,n,i]),M={names:w,what:v,first:r,second:a};return o(N,{children:[o("div",{class:"controls",children:[o(L,{label:"scheme",options:Object.keys(Hn).filter(k=>k!=="learned"||f),names:Object.keys(Hn).filter(k=>k!=="learned"||f).map(k=>Hn[k]),value:i,onChange:k=>d({scheme:k})}),i==="alibi"&&o(L,{label:"head",options:Nt,value:s,onChange:k=>d({head:k})})]}),o("div",{class:"controls",children:["first","second"].map((k,S)=>o(te,{label:g?`${w[S]}'s position`:`${w[S]} position`,role:g?w[S]:`end ${k}`,value:e[k],min:0,max:t-1,say:String,onInput:se=>d({[k]:se})},k))}),(i==="sinusoidal"||i==="rotary")&&o(ii,{rows:p,names:w,rounds:wn(n),roles:g,scheme:i}),o("div",{class:"columns",children:[o("div",{children:o(si,{...M,curve:c,range:$,others:i==="alibi"&&r,set:d})}),o("div",{children:[o(q,{facts:[[v,b(c[a])],[g?"the key stands":"the second stands",`${y}${_}`],i==="rotary"&&[`with the key ${Math.abs(a-r)} ${a<r?"ahead":"behind"} instead`,b(m(2*r-a))],i==="alibi"&&["slope of the head",b(go[s],4)]]}),o("div",{class:"both",role:"group","aria-label":"move both positions",children:[o("button",{"aria-disabled":!h(-1),onClick:()=>h(-1)&&x(-1),children:"both one back"}),o("button",{"aria-disabled":!h(1),onClick:()=>h(1)&&x(1),children:"both one on"})]}),o("p",{children:ni[i]})]})]}),p?o(li,{rows:p,names:w,marks:M,d:i==="learned"?f.d:n,scheme:i,theme:l}):o(ci,{distance:a-r,theme:l}),o(H,{text:`${w[0]} at ${r}, ${w[1]} at ${a}, ${y}${_}: ${v} ${b(c[a])}.`})]})}function ai({learned:e,scheme:t,n_positions:n,d_model:r}){if(t==="alibi")return[Ct(0,n-1),0];if(t==="learned")return fo(e.cosines.slice(0,n).flat());let a=Array.from({length:2*n-1},(s,l)=>l-n+1),{at:i}=xo[t]({n_positions:n,d_model:r,first:0,second:0});return fo(t==="rotary"?a.map(i):a.slice(n-1).map(i))}var fo=e=>[Math.min(0,...e),Math.max(...e)];function ii({rows:e,names:t,rounds:n,roles:r,scheme:a}){let i=Math.max(...e.flatMap(l=>n.map((d,f)=>Math.hypot(l[2*f],l[2*f+1])))),s=a==="rotary"?`sum is ${t[0]} · ${t[1]}`:"mean is the cosine";return o(N,{children:[o("p",{class:"note",children:[o(ho,{nth:0,role:r&&t[0]})," ",t[0],", ",o(ho,{nth:1,role:r&&t[1]})," ",t[1],". Below each clock: its two features, the positions that it needs for one round, and the dot product of its two hands. Their ",s,"."]}),o("div",{class:"clocks",children:n.map((l,d)=>{let f=e.map(u=>[u[2*d],u[2*d+1]]);return o("div",{class:"clock",role:"group","aria-label":`clock of features ${2*d} and ${2*d+1}`,children:[o("svg",{viewBox:"-26 -26 52 52","aria-hidden":"true",children:[o("circle",{class:"dial",r:25}),f.map(([u,p],m)=>{let[c,g]=[24*u/i,-24*p/i];return o("g",{class:_o(m,r&&t[m]),children:[o("line",{x1:0,y1:0,x2:c,y2:g}),o("circle",{cx:c,cy:g,r:m?2:3})]},m)})]}),o("span",{children:[2*d,", ",2*d+1]}),o("span",{class:"note",children:["round ",b(l,l<100?1:0)]}),o("span",{class:"product",children:b(W(...f))})]},d)})})]})}var _o=(e,t)=>`hand ${["solid","dashed"][e]} ${t?`of-${t}`:["of-first","of-second"][e]}`,ho=({nth:e,role:t})=>o("svg",{class:"sample",viewBox:"0 0 30 8","aria-hidden":"true",children:o("g",{class:_o(e,t),children:[o("line",{x1:1,y1:4,x2:25,y2:4}),o("circle",{cx:25,cy:4,r:e?2:3})]})}),lt=210,P={left:40,right:12,top:44,bottom:36};function si({curve:e,range:t,names:n,what:r,first:a,second:i,others:s,set:l}){let[d,f]=Re(500),u=F(null),p=Math.max(1,e.length-1),[m,c]=t[1]>t[0]?t:[t[0]-1,t[1]+1],g=h=>P.left+h/p*(f-P.left-P.right),w=h=>P.top+(c-h)/(c-m)*(lt-P.top-P.bottom),v=h=>h.map(($,M)=>`${g(M).toFixed(1)},${w($).toFixed(1)}`).join(" "),y=h=>{if(!h.currentTarget.hasPointerCapture(h.pointerId))return;let $=u.current.getBoundingClientRect(),M=((h.clientX-$.left)*(f/$.width)-P.left)/(f-P.left-P.right);l({second:Math.max(0,Math.min(e.length-1,Math.round(M*p)))})},_=e[i],x=h=>h>f-100?"end":h<P.left+60?"start":"middle";return o("div",{ref:d,children:[o("p",{class:"title",children:[r,": ",n[0]," at ",a,", ",n[1]," anywhere"]}),o("svg",{ref:u,class:"curve",viewBox:`0 0 ${f} ${lt}`,role:"img","aria-label":`${r} over the positions 0 to ${e.length-1}: ${b(_)} at ${i}, from ${b(Math.min(...e))} to ${b(Math.max(...e))}. The slider of the ${n[1]} moves the mark.`,onPointerDown:h=>{h.currentTarget.setPointerCapture(h.pointerId),y(h)},onPointerMove:y,children:[po(m,c,4).map(h=>o("g",{class:"grid",children:[o("line",{x1:P.left,x2:f-P.right,y1:w(h),y2:w(h)}),o("text",{class:"soft",x:P.left-6,y:w(h)+4,"text-anchor":"end",children:b(h,c-m<3?1:0)})]},h)),po(0,e.length-1,f/60).filter(Number.isInteger).map(h=>o("text",{class:"soft",x:g(h),y:lt-P.bottom+16,"text-anchor":"middle",children:h},h)),o("text",{class:"soft",x:(P.left+f-P.right)/2,y:lt-4,"text-anchor":"middle",children:["position of the ",n[1]," (press or drag)"]}),s!==!1&&Nt.map(h=>o("polyline",{class:"other",points:v(e.map(($,M)=>Ct(h,M-s)))},h)),o("line",{class:"here",x1:g(a),x2:g(a),y1:15,y2:lt-P.bottom}),o("line",{class:"there",x1:g(i),x2:g(i),y1:32,y2:w(_)}),o("polyline",{class:"main",points:v(e)}),e.length<=64&&o("path",{class:"dots",d:e.map((h,$)=>`M${g($).toFixed(1)} ${w(h).toFixed(1)}h0`).join("")}),o("circle",{class:"mark",cx:g(i),cy:w(_),r:6}),o("text",{class:"halo soft",x:g(a),y:11,"text-anchor":x(g(a)),children:[n[0]," ",a]}),o("text",{class:"halo",x:g(i),y:28,"text-anchor":x(g(i)),children:[n[1]," ",i,": ",b(_)]})]})]})}function po(e,t,n){let r=(t-e)/Math.max(1,n),a=10**Math.floor(Math.log10(r||1)),i=a*[1,2,5,10].find(d=>d*a>=r),s=Math.ceil(e/i-1e-9),l=Math.floor(t/i+1e-9);return Array.from({length:l-s+1},(d,f)=>Number(((s+f)*i).toPrecision(6)))}function li({rows:e,names:t,marks:n,d:r,scheme:a,theme:i}){let s=e[0].length,l=Math.max(...e.flat().map(Math.abs),1e-9),d=s<r?` (the first ${s} of ${r} features)`:"",f=a==="rotary"?"The query and the key, turned by their positions":"The rows of the two positions";return o(N,{children:[o("p",{class:"title",children:[f,d]}),o(G,{said:`${f}${d}: rows are positions, columns are features`,values:e,rows:[`${t[0]} at ${n.first}`,`${t[1]} at ${n.second}`],columns:e[0].map((u,p)=>String(p)),corner:"feature →",say:a==="learned"?u=>b(u,3).replace("0.","."):b,scale:l,twoSided:!0,theme:i})]})}function ci({distance:e,theme:t}){let n=Nt.map(a=>Ct(a,e)),r=Math.max(...n.map(Math.abs),1e-9);return o(N,{children:[o("p",{class:"title",children:"What each head adds at this distance"}),o(G,{said:"The bias of each head at this distance: one row, columns are heads",values:[n],rows:["bias"],columns:Nt.map(String),corner:"head →",scale:r,twoSided:!0,theme:t})]})}var Rn={};Z(Rn,{View:()=>gi,style:()=>bo,traits:()=>ui});var bo=`.histogram .grid {
  stroke: var(--faint);
}

.histogram .axis {
  stroke: var(--line);
}

.histogram .bars {
  fill: var(--first);
}

.histogram .bracket {
  fill: none;
  stroke: var(--ink);
  stroke-width: 2.5px;
}

.histogram .expected {
  stroke: var(--ink);
  stroke-dasharray: 5 4;
}

.keys {
  width: 100%;
  border-collapse: collapse;
}

.keys th {
  font-weight: 400;
  text-align: start;
}

.keys thead th {
  color: var(--soft);
}

.keys th[scope="row"] {
  padding-inline-start: calc(0.4rem + 5px); /* below the word, past its mark */
}

.keys td {
  width: 4.5em;
  height: 1.6em;
  padding-inline-end: 1em;
  text-align: end;
}

.keys thead th:nth-child(2) {
  padding-inline-end: 1em;
  text-align: end;
}

.keys thead th:nth-child(3) {
  padding-inline-start: 1em;
}

.keys td.bar {
  width: auto;
  padding: 2px 0;
}

.keys .bar > div {
  height: 1.1rem;
  background: var(--faint);
}

.keys .bar span {
  display: block;
  height: 100%;
  background: var(--ink);
}
`;var ui=["d","divisor","seed"],[At,We,Et]=[100,8,512],fi=2**32-1,D=30,hi=2*D,pi=[20,30,50,100,200,400,800],Tt={none:{name:"1 (none)",score:"score = q · k"},"sqrt d":{name:"√d",score:"score = q · k / √d"},d:{name:"d",score:"score = q · k / d"},"sqrt n":{name:`√n (n = ${We} keys)`,score:"score = q · k / √n"}},qt=[...new Set(Array.from({length:37},(e,t)=>Math.round(2**(t/4))))],mi=e=>qt.reduce((t,n,r)=>Math.abs(Math.log(n/e))<Math.abs(Math.log(qt[t]/e))?r:t,0);function gi({d:e,divisor:t,seed:n,set:r}){let a=_e(()=>ot(At*(1+We)*Et,n),[n]),i=Cn(a,{d:e,dMost:Et,nQueries:At,nKeys:We,divisor:t}),s=i.flat(),l=$n(s),d=Nn(e,We,t),[f,...u]=i.map(c=>ne(c)),p=Math.max(...f),m=Me([f,...u].map(B));return o(N,{children:[o("div",{class:"controls",children:[o(te,{label:"width d",value:mi(e),min:0,max:qt.length-1,say:()=>b(e,0),onInput:c=>r({d:qt[c]})}),o($e,{label:`any d, 1 to ${Et}`,min:1,max:Et,step:1,value:e,onChange:c=>r({d:Math.round(c)})})]}),o("div",{class:"controls",children:[o(L,{label:"divide every score by",options:Object.keys(Tt),names:Object.values(Tt).map(({name:c})=>c),value:t,onChange:c=>r({divisor:c})}),o($e,{label:"draw",min:0,max:fi,step:1,value:n,onChange:c=>r({seed:Math.round(c)})}),o("button",{type:"button",onClick:()=>r({seed:n+1>>>0}),children:"another draw"})]}),o("div",{class:"columns",children:[o("div",{children:[o("p",{class:"title",children:[s.length," scores, ",At," random queries with ",We," random keys each"]}),o(xi,{scores:s,measured:l,expected:d,label:Tt[t].score}),o(q,{facts:[["measured spread",b(l)],["expected spread",b(d)]]})]}),o("div",{children:[o("p",{class:"title",children:["One row of them: ",o("span",{class:"role-query",children:"query 0"})," and its keys"]}),o("table",{class:"keys",children:[o("thead",{children:o("tr",{children:[o("th",{scope:"col",class:"role-key",children:"key"}),o("th",{scope:"col",children:"score"}),o("th",{scope:"col",colSpan:2,children:"weight, by a softmax"})]})}),o("tbody",{children:f.map((c,g)=>o("tr",{children:[o("th",{scope:"row",children:g}),o("td",{children:b(i[0][g])}),o("td",{children:b(c)}),o("td",{class:"bar",children:o("div",{children:o("span",{style:{width:`${100*c}%`}})})})]},g))})]}),o(q,{facts:[["largest weight",b(p)],["entropy (nats)",b(B(f))],[`mean entropy, ${At} rows`,b(m)],["largest possible entropy",b(Math.log(We))]]})]})]}),o(H,{text:`d = ${e}, divided by ${Tt[t].name}: spread ${b(l)}, expected ${b(d)}. Query 0: largest weight ${b(p)}, entropy ${b(B(f))}.`})]})}function xi({scores:e,measured:t,expected:n,label:r}){let[a,i]=Re(480),s=Mn(e,D,hi),l=e.filter(h=>h<-D).length,d=e.filter(h=>h>=D).length,f=Math.max(...s),u=pi.find(h=>h>=f),[p,m,c,g]=[32,i-10,58,228],w=h=>p+(h+D)/(2*D)*(m-p),v=h=>g-h/u*(g-c),y=s.map((h,$)=>`V${v(h)}H${w($+1-D)}`).join(""),_=Math.min(t,D),x=`Histogram of ${e.length} scores from −${D} to ${D}, spread ${b(t)}; the fullest bin holds ${f}; ${l} lie below −${D}, ${d} above ${D}`;return o("div",{ref:a,children:[o("svg",{class:"histogram",viewBox:`0 0 ${i} 268`,role:"img","aria-label":x,children:[[u/2,u].map(h=>o("g",{children:[o("line",{class:"grid",x1:p,x2:m,y1:v(h),y2:v(h)}),o("text",{class:"soft",x:p-6,y:v(h)+4,"text-anchor":"end",children:h})]},h)),[-n,n].map((h,$)=>o("line",{class:"expected",x1:w(h),x2:w(h),y1:48,y2:g},$)),o("path",{class:"bars",d:`M${p},${g}${y}V${g}Z`}),o("line",{class:"axis",x1:p,x2:m,y1:g,y2:g}),[-30,-20,-10,0,10,20,30].map(h=>o("g",{children:[o("line",{class:"axis",x1:w(h),x2:w(h),y1:g,y2:g+5}),o("text",{class:"soft",x:w(h),y:g+19,"text-anchor":"middle",children:b(h,0)})]},h)),o("text",{class:"soft",x:(p+m)/2,y:g+37,"text-anchor":"middle",children:r}),o("path",{class:"bracket",d:`M${w(-_)},36v10M${w(-_)},41H${w(_)}M${w(_)},36v10`}),o("text",{x:w(0),y:30,"text-anchor":"middle",children:["spread ± ",b(t)]}),o("text",{class:"soft",x:p,y:12,children:[l," below −",D]}),o("text",{class:"soft",x:m,y:12,"text-anchor":"end",children:[d," above ",D]})]}),o("p",{class:"note",children:"Bracket: the measured spread to both sides of 0. Dashes: what the theory expects."})]})}var Dn={};Z(Dn,{View:()=>yi,style:()=>yo,traits:()=>bi});var yo=`.steps {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  align-items: end;
  margin: 0.5rem 0;
}

.scroll {
  position: relative;
  overflow: auto;
  max-height: 28rem;
  margin: 0.5rem 0;
}

.ledger {
  border-spacing: 0 4px;
  border-collapse: separate;
}

.ledger th,
.ledger td {
  padding: 0 0.9rem 0 0;
  font-weight: 400;
  text-align: start;
  vertical-align: middle;
}

.ledger.wide {
  width: 100%;
}

.ledger.wide th:first-child {
  width: 7em;
}

.ledger.wide .digits {
  width: 5em;
}

.ledger thead th {
  color: var(--soft);
  vertical-align: bottom;
}

.ledger .digits {
  text-align: end;
}

.ledger tr.marked > th {
  font-weight: 700;
  text-decoration: underline;
  text-underline-offset: 3px;
}

.ledger tr.sum > * {
  padding-top: 4px;
  border-top: 2px solid var(--ink);
  font-weight: 700;
}

.strip {
  display: inline-flex;
  gap: 1px;
  vertical-align: middle;
}

.strip > span {
  min-width: 2.9em;
  padding: 0.15rem 0.2rem;
  border-radius: 2px;
  text-align: center;
}

.strip.wide {
  display: flex;
  gap: 0;
  min-width: 5rem;
  height: 1.6rem;
  background: var(--faint);
}

.strip.wide > span {
  flex: 1 1 0;
  min-width: 1px;
  padding: 0;
  border-radius: 0;
}

.bar {
  position: relative;
  display: block;
  width: 12rem;
  height: 1.1rem;
  background: var(--faint);
}

.bar > span {
  position: absolute;
  inset-block: 0;
  background: var(--ink);
}

.bar > span.before {
  border: 1px solid var(--line);
  background: transparent;
}

.bar > i {
  position: absolute;
  inset-block: -2px;
  width: 1px;
  background: var(--soft);
}

.matrix th[scope="row"],
.matrix th.corner {
  position: sticky;
  z-index: 1;
  inset-inline-start: 0;
  max-width: none;
  background: var(--paper);
  white-space: nowrap;
}

@container (min-width: 44rem) {
  .ledger th,
  .ledger td {
    padding-inline-end: 1.5rem;
  }

  .strip > span {
    min-width: 4em;
    padding-block: 0.25rem;
  }

  .bar {
    width: 24rem;
  }
}

@container (max-width: 34rem) {
  .ledger {
    font-size: 12px;
  }

  .ledger th,
  .ledger td {
    padding-inline-end: 0.3rem;
  }

  .ledger .strip {
    padding-inline-start: 0;
    border: 0; /* its column's head wears the colour */
  }

  .strip > span {
    min-width: 2.8em;
    padding-inline: 0;
  }

  .bar {
    width: 6rem;
  }

  .ledger.wide th:first-child,
  .ledger.wide .digits {
    width: 4em;
  }

  .ledger th bdi {
    max-width: 5em;
  }
}
`;var bi=["query","key","value","words","x","word","step"],Be=["project","score","scale","softmax","mix"],ae=8;function yi(e){let{query:t,key:n,value:r,words:a,word:i,step:s,set:l}=e,d=a.map((y,_)=>y.trim()&&a.indexOf(y)===a.lastIndexOf(y)?y:`${y} (${_})`.trim()),f=Le([t[i]],n)[0],u=ne(f),p=Ie(e),m=p&&{weights:p.weights?.map(y=>y.map(Number)),output:p.output.map(y=>y.map(Number))},c={...e,own:m,names:d,who:d[i],sums:n.map(y=>W(t[i],y)),scores:f,weights:u,output:Oe([u],r)[0]},g={project:vi,score:wi,scale:ki,softmax:$i,mix:Mi}[s],w=Be.indexOf(s),v=y=>Be[y]&&l({step:Be[y]});return o(N,{children:[o(ue,{label:"the word that asks",words:d,value:i,onChange:y=>l({word:y})}),o("div",{class:"steps",children:[o(L,{label:"step",options:Be,names:Be.map((y,_)=>`${_+1} ${y}`),value:s,onChange:y=>l({step:y})}),o("button",{type:"button","aria-disabled":w===0,onClick:()=>v(w-1),children:"Back"}),o("button",{type:"button","aria-disabled":w===Be.length-1,onClick:()=>v(w+1),children:"Next"})]}),o(g,{...c}),o(He,{...e}),o(H,{text:Si(c)})]})}function vi({query:e,key:t,value:n,x:r,word:a,names:i,who:s,theme:l}){let d=ie([e,t]),f=ie([n]),u=t[0].length>ae||n[0].length>ae;return o(N,{children:[o("p",{children:[o("bdi",{children:s})," asks with its ",o("b",{children:"query"}),". Every word, ",o("bdi",{children:s})," too, is matched by its ",o("b",{children:"key"})," and hands over its ",o("b",{children:"value"}),"."]}),o(ze,{said:`${r?"x and query":"query"} of ${s}`,names:[s],columns:[r&&{head:`x (${r[0].length} features)`,cell:()=>o(he,{numbers:r[a],scale:ie([r]),theme:l,numbered:!0})},{head:`query (${e[0].length})`,role:"query",cell:()=>o(he,{numbers:e[a],scale:d,role:"query",theme:l})}],wide:e[0].length>ae}),o(ze,{said:"keys and values of all words",names:i,marked:a,columns:[{head:`key (${t[0].length})`,role:"key",cell:p=>o(he,{numbers:t[p],scale:d,role:"key",theme:l})},{head:`value (${n[0].length})`,role:"value",cell:p=>o(he,{numbers:n[p],scale:f,role:"value",theme:l})}],wide:u}),t[0].length>ae&&o(Pt,{said:`the numbers of the query of ${s} and of all keys`,rows:[`query: ${s}`,...i.map(p=>`key: ${p}`)],values:[e[a],...t],theme:l}),n[0].length>ae&&o(Pt,{said:"the numbers of all values",rows:i.map(p=>`value: ${p}`),values:n,theme:l})]})}function wi({query:e,key:t,word:n,names:r,who:a,sums:i,theme:s}){let l=e[n],d=t.map(m=>m.map((c,g)=>c*l[g])),f=ie([e,t]),u=ie([d]),p=l.length>ae;return o(N,{children:[o("p",{children:["The query of ",o("bdi",{children:a})," times each key, feature by feature; the products are added up. This is the dot product ",o("b",{children:"query · key"}),"."]}),o(ze,{said:`query of ${a} times every key`,first:["query",o(he,{numbers:l,scale:f,role:"query",theme:s})],names:r,marked:n,columns:[{head:"key",role:"key",cell:m=>o(he,{numbers:t[m],scale:f,role:"key",theme:s})},{head:"query × key",cell:m=>o(he,{numbers:d[m],scale:u,theme:s})},{head:"sum",digits:!0,cell:m=>o("b",{children:b(i[m])})}],wide:p}),p&&o(Pt,{said:`the numbers of the query of ${a}, the keys and their products`,rows:[`query: ${a}`,...r.flatMap(m=>[`key: ${m}`,"query × key"])],values:[l,...t.flatMap((m,c)=>[m,d[c]])],extra:{name:"sum",values:[null,...i.flatMap(m=>[null,m])],say:m=>m===null?"":b(m)},theme:s})]})}function ki({key:e,word:t,names:n,who:r,sums:a,scores:i}){let s=e[0].length,l=ie([[a]]);return o(N,{children:[o("p",{children:["Each sum is divided by the square root of d_key: √",s," = ",b(Math.sqrt(s),3),". The frame is the sum, the filled bar the score."]}),o(ze,{said:`scores of ${r}`,names:n,marked:t,columns:[{head:"query · key",digits:!0,cell:d=>b(a[d])},{head:`÷ ${b(Math.sqrt(s),3)}`,cell:d=>o(vo,{value:i[d],before:a[d],reach:l,signed:a.some(f=>f<0)})},{head:"score",digits:!0,cell:d=>o("b",{children:b(i[d])})}]}),o(q,{facts:[["d_key",s],["square root of d_key",b(Math.sqrt(s),3)]]})]})}function $i({word:e,names:t,who:n,scores:r,weights:a,own:i}){let s=Math.max(...r),l=De(r.map(c=>c-s)),d=l.reduce((c,g)=>c+g,0),f=i?.weights?.[e],u=f?.reduce((c,g)=>c+g,0),p=Math.abs(u-1)<1e-6,m=f??a;return o(N,{children:[o("p",{children:["exp(score − the largest score), divided by the sum of all of them, ",b(d),": how much ",o("bdi",{children:n})," looks at each word."]}),o(ze,{said:`weights of ${n}`,names:t,marked:e,columns:[{head:"score",digits:!0,cell:c=>b(r[c])},{head:"exp(score − largest)",digits:!0,cell:c=>b(l[c])},{head:f?"your weight as a bar":"weight as a bar",cell:c=>o(vo,{value:m[c],reach:Math.max(1,ie([[m]])),signed:m.some(g=>g<0)})},{head:"weight",digits:!0,cell:c=>o("b",{children:b(a[c])})},f&&{head:"yours",digits:!0,cell:c=>o("b",{children:b(f[c])})}]}),o(q,{facts:[["largest score",b(s)],["sum of exp",b(d)],["sum of the weights",b(a.reduce((c,g)=>c+g,0))],["entropy (nats)",b(B(a))],f&&["sum of your weights",p?"1.00":`${b(u)}, not 1`,p?"":"wrong"],f&&["yours differ at most by",wo([f],[a])]]})]})}function Mi({value:e,word:t,names:n,who:r,weights:a,output:i,own:s,theme:l}){let d=s?.weights?.[t]??a,f=e.map((g,w)=>g.map(v=>d[w]*v)),u=ie([e]),p=e[0].length>ae,m=s?[["your output",s.output[t]],["attnlib's output",i]]:[["output",i]],c=(g,w)=>o(he,{numbers:g,scale:u,role:w,theme:l});return o(N,{children:[o("p",{children:["Each value times its ",s?.weights?"weight, by your function":"weight","; the sum of these rows is the"," ",o("b",{children:"output"}),", what ",o("bdi",{children:r})," takes home."]}),o(ze,{said:`values mixed for ${r}`,names:n,marked:t,columns:[{head:"weight",digits:!0,cell:g=>b(d[g])},{head:"value",role:"value",cell:g=>c(e[g],"value")},{head:"weight × value",cell:g=>c(f[g])}],last:m.map(([g,w])=>[g,c(w,"output")]),wide:p}),s&&o(q,{facts:[["yours differs at most by",wo([s.output[t]],[i])]]}),p&&o(Pt,{said:`the numbers of weight × value and of the output of ${r}`,rows:[...n.map((g,w)=>`${b(d[w])} × ${g}`),...m.map(([g])=>g)],values:[...f,...m.map(([,g])=>g)],theme:l})]})}function ze({said:e,names:t,columns:n,marked:r=null,first:a=null,last:i=[],wide:s=!1}){let l=n.filter(Boolean);return o("div",{class:"scroll",tabIndex:0,role:"group","aria-label":e,children:o("table",{class:s?"ledger wide":"ledger",children:[o("thead",{children:o("tr",{children:[o("th",{scope:"col",children:"word"}),l.map(({head:d,role:f,digits:u},p)=>o("th",{scope:"col",class:u?"digits":"",children:o("span",{class:f&&`role-${f}`,children:d})},p))]})}),o("tbody",{children:[a&&o("tr",{children:[o("th",{scope:"row",children:a[0]}),o("td",{children:a[1]}),o("td",{colSpan:l.length-1})]}),t.map((d,f)=>o("tr",{class:f===r?"marked":"",children:[o("th",{scope:"row",children:o("bdi",{title:d,children:d})}),l.map(({cell:u,digits:p},m)=>o("td",{class:p?"digits":"",children:u(f)},m))]},f)),i.map(([d,f])=>o("tr",{class:"sum",children:[o("th",{scope:"row",children:d}),o("td",{colSpan:l.length-1}),o("td",{children:f})]},d))]})]})})}function he({numbers:e,scale:t,role:n,theme:r,numbered:a=!1}){let i=e.length>ae&&!a,s=i?`${e.length} numbers from ${b(Math.min(...e))} to ${b(Math.max(...e))}`:void 0;return o("span",{class:`strip ${i?"wide":""} ${n?`role-${n}`:""}`,role:i?"img":void 0,"aria-label":s,children:e.map((l,d)=>o("span",{style:tt(l/t,{theme:r,twoSided:!0}),children:i?"":`${b(l)} `},d))})}var Pt=({values:e,...t})=>o(G,{...t,values:e,columns:e[0].map((n,r)=>`${r}`),corner:"feature",scale:ie([e]),twoSided:!0});function vo({value:e,before:t=0,reach:n,signed:r=!1}){let a=i=>{let s=Math.max(-1,Math.min(1,i/n||0))*(r?50:100);return{left:`${(r?50:0)+Math.min(0,s)}%`,width:`${Math.abs(s)}%`}};return o("span",{class:"bar",children:[t!==0&&o("span",{class:"before",style:a(t)}),o("span",{style:a(e)}),r&&o("i",{style:{left:"50%"}})]})}var ie=e=>Math.max(...e.flat(2).map(Math.abs))||1,wo=(e,t)=>b(nt(e,t)[0],6);function Si({step:e,who:t,word:n,names:r,query:a,sums:i,scores:s,weights:l,output:d,own:f}){let u=m=>r.map((c,g)=>`${c} ${b(m[g])}`).join(", "),p=m=>m.length>ae?`${m.length} numbers`:m.map(c=>b(c)).join(", ");return{project:`Query of ${t}: ${p(a[n])}.`,score:`Query of ${t} times key: ${u(i)}.`,scale:`Scores of ${t}: ${u(s)}.`,softmax:`Weights of ${t}: ${u(f?.weights?.[n]??l)}.`,mix:`Output of ${t}: ${p(f?.output[n]??d)}.`}[e]}var Ln={};Z(Ln,{View:()=>Ai,style:()=>ko,traits:()=>Ci});var ko=`.ledger {
  display: grid;
  gap: 0.25rem 0.75rem;
  align-items: center;
  margin: 0.5rem 0;
}

.ledger .row,
.ledger .heads {
  display: grid;
  grid-template-columns: 4.5rem minmax(0, 5fr) 6.5rem minmax(0, 4fr) 3rem;
  gap: 0 0.6rem;
  align-items: center;
}

.ledger.naive .row,
.ledger.naive .heads {
  grid-template-columns: 4.5rem minmax(0, 4fr) 6.5rem 6rem minmax(0, 3fr) 3rem;
}

.ledger .heads {
  color: var(--soft);
}

.ledger .name {
  text-align: end;
}

.bar {
  height: 1.1rem;
  background: var(--faint);
}

.bar > span {
  display: block;
  height: 100%;
  background: var(--ink);
}

@container (max-width: 34rem) {
  .ledger .heads {
    display: none;
  }

  .ledger .row,
  .ledger.naive .row {
    grid-template-columns: minmax(0, 1fr) 7rem 3rem;
    padding-bottom: 0.5rem;
    border-bottom: 1px solid var(--faint);
  }

  .ledger .name {
    grid-column: 1 / -1;
    text-align: start;
  }

  .ledger .bar {
    grid-column: 1 / 3;
  }

  .ledger .weight {
    grid-column: 3;
  }
}
`;var Ci=["scores","names","temperature","shift","naive"],$o=10,Mo=800;function Ai(e){let{scores:t,names:n,temperature:r,shift:a,naive:i,set:s}=e,l=F([-$o,$o]);l.current=[Math.min(l.current[0],Math.floor(Math.min(...t))),Math.max(l.current[1],Math.ceil(Math.max(...t)))];let d=t.map(y=>y+a),f=Ie(e),u=f?.weights.map(Number)??(i?un(d,r):ne(d,r)),p=De(d,r),m=u.some(Number.isNaN),c=u.reduce((y,_)=>y+_,0),g=(y,_)=>s({scores:t.map((x,h)=>h===y?_:x)}),w=r===1?"exp(score)":"exp(score / temperature)",v=n.map((y,_)=>`${y} ${b(u[_])}`).join(", ");return o(N,{children:[o("div",{class:"controls",children:[o(te,{label:"temperature",value:Math.log10(r),min:-1.5,max:1.5,step:.01,say:y=>b(10**y),onInput:y=>s({temperature:Number((10**y).toPrecision(3))})}),o(te,{label:"add to every score",value:a,min:-Mo,max:Mo,step:5,say:y=>b(y,0),onInput:y=>s({shift:y})}),o($t,{label:"naive formula (no shift by the maximum)",checked:i,onChange:y=>s({naive:y})})]}),o("div",{class:i?"ledger naive":"ledger",children:[o("div",{class:"heads","aria-hidden":"true",children:[o("span",{}),o("span",{children:"score"}),o("span",{}),i&&o("span",{children:w}),o("span",{children:"weight"})]}),n.map((y,_)=>o("div",{class:"row",role:"group","aria-label":y,children:[o("bdi",{class:"name",title:y,children:y}),o("input",{type:"range",min:l.current[0],max:l.current[1],step:.1,value:t[_],"aria-label":`score of ${y}`,"aria-valuetext":b(t[_],1),onInput:x=>g(_,x.currentTarget.valueAsNumber)}),o("span",{class:"score",children:[b(t[_],1),a!==0&&` ${a>0?"+":"−"} ${Math.abs(a)}`]}),i&&o("span",{class:No(p[_])?"exponential":"exponential wrong",title:w,children:Ei(p[_])}),o("span",{class:"bar",children:o("span",{style:{width:`${100*Math.max(0,Math.min(1,u[_]||0))}%`}})}),o("span",{class:Number.isNaN(u[_])?"weight wrong":"weight",children:b(u[_])})]},_))]}),o(q,{facts:[["sum of the weights",b(c),Math.abs(c-1)<1e-6?"":"wrong"],["entropy (nats)",m?"nan":b(B(u))],["largest possible entropy",b(Math.log(u.length))]]}),i&&!f&&(m||c===0)&&o("p",{class:"wrong",children:So(p)}),o(He,{...e}),o(H,{text:`${v}. ${m&&i&&!f?So(p):`Entropy ${b(B(u))}.`}`})]})}var No=e=>Number.isFinite(e)&&e!==0,Ei=e=>No(e)&&(e>=1e5||e<.01)?e.toExponential(1).replace("-","−"):b(e);function So(e){return e.every(Number.isFinite)&&e.some(t=>t>0)?"The sum of the exponentials is beyond the largest float: it is inf, and each weight is 0.":e.some(t=>t===1/0)?"An exponential is beyond the largest float, about 1.8e308: it is inf, and inf / inf is not a number.":"Every exponential is below the smallest float: the sum is 0, and 0 / 0 is not a number."}var Ti={Alignment:An,DotProduct:En,Heads:qn,Mask:Pn,Positions:In,Scaling:Rn,SelfAttention:Dn,Softmax:Ln};function On({model:e,el:t}){return jr(e,t,Ti[e.get("_class")])}document.readyState==="loading"?document.addEventListener("DOMContentLoaded",()=>It(document,On)):It(document,On);var Ll={render:On};export{Kr as arithmetic,Ll as default,It as enliven};
