// Elements as a person names them, by role and name, label or words, and what is expected of them.
window.hands = (() => {
  const CONTENT = new Set(
    "button cell checkbox columnheader gridcell heading link option radio row rowheader switch tab".split(" "),
  );
  const INPUTS = { range: "slider", number: "spinbutton", checkbox: "checkbox", radio: "radio" };
  const TAGS = {
    a: "link", button: "button", details: "group", fieldset: "group", img: "img", li: "listitem", ol: "list",
    option: "option", section: "region", select: "combobox", table: "table", td: "cell", tr: "row", ul: "list",
  };
  const squeeze = (text) => (text ?? "").replace(/\s+/g, " ").trim();

  /** Whether words are those that are wanted: all of them, a part of them, or of a pattern. */
  function agrees(words, { text, how, pattern, flags }) {
    if (pattern !== undefined) return new RegExp(pattern, flags).test(words);
    if (how === "whole") return words === squeeze(text);
    if (how === "part") return words.includes(squeeze(text));
    return words.toLowerCase().includes(squeeze(text).toLowerCase());
  }

  const place = (element) => element.getBoundingClientRect();
  const isSeen = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && place(element).width > 0 && place(element).height > 0;
  const isTold = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest("[aria-hidden=true]");

  function textOf(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.shadowRoot) return textOf(node.shadowRoot);
    return node.nodeName === "STYLE" ? "" : [...node.childNodes].map(textOf).join("");
  }
  const words = (element) => squeeze(textOf(element));

  function role(element) {
    const told = element.getAttribute("role");
    const tag = element.localName;
    if (told) return told;
    if (tag === "input") return INPUTS[element.type] ?? "textbox";
    if (tag === "th") return element.scope === "row" ? "rowheader" : "columnheader";
    return TAGS[tag] ?? "";
  }

  /** What an element is called by what it holds. */
  function called(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE || !isTold(node)) return "";
    const told = node.getAttribute("aria-label") ?? node.getAttribute("alt");
    if (told) return told;
    const space = getComputedStyle(node).display.startsWith("inline") ? "" : " ";
    return space + [...node.childNodes].map(called).join("") + space;
  }

  const labels = (element) => {
    const ids = (element.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
    const found = ids.map((id) => element.getRootNode().getElementById(id)).filter(Boolean);
    if (found.length) return [found.map(called).join(" ")];
    if (element.hasAttribute("aria-label")) return [element.getAttribute("aria-label")];
    return [...(element.labels ?? [])].map(called);
  };

  function name(element) {
    const told = labels(element);
    const title = element.querySelector(":scope > legend, :scope > caption");
    if (told.length) return squeeze(told.join(" "));
    if (title) return squeeze(called(title));
    if (CONTENT.has(role(element))) return squeeze([...element.childNodes].map(called).join(""));
    return squeeze(element.getAttribute("title"));
  }

  const state = {
    checked: (element) => String(element.checked ?? element.getAttribute("aria-checked")) === "true",
    pressed: (element) => element.getAttribute("aria-pressed") === "true",
  };
  const inside = (all, selector) =>
    [...new Set(all.flatMap((one) => [...(one.shadowRoot ?? one).querySelectorAll(selector)]))];

  const STEPS = {
    css: (all, { selector, has }) => {
      const found = inside(all, selector);
      return has ? found.filter((one) => agrees(words(one), has)) : found;
    },
    role: (all, { role: wanted, name: as, ...states }) =>
      inside(all, "*").filter((one) =>
        role(one) === wanted && isTold(one) && (!as || agrees(name(one), as)) &&
        Object.entries(states).every(([key, value]) => value === null || state[key](one) === value)),
    label: (all, as) => inside(all, "*").filter((one) => labels(one).some((told) => agrees(squeeze(told), as))),
    text: (all, as) =>
      [...all.filter((one) => one.nodeType === Node.ELEMENT_NODE), ...inside(all, "*:not(style)")].filter((one) =>
        agrees(words(one), as) && ![...(one.shadowRoot ?? one).children].some((child) => agrees(words(child), as))),
    nth: (all, { nth }) => all.slice(nth, nth === -1 ? undefined : nth + 1),
  };
  const find = (chain) => chain.reduce((all, [kind, asked]) => STEPS[kind](all, asked), [document]);

  const focused = () => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element;
  };

  // What can be expected of all that are found, and of the only one: [does it hold, what there is].
  const all = (texts, wanted) => [
    texts.length === wanted.length && texts.every((text, k) => agrees(text, wanted[k])), texts];
  const OF_ALL = {
    count: (found, { n }) => [found.length === n, found.length],
    texts: (found, { wanted }) => all(found.map(words), wanted),
    classes: (found, { wanted }) => all(found.map((one) => squeeze(one.getAttribute("class"))), wanted),
    hidden: (found) => [!found.some(isSeen), found.length],
  };
  const OF_ONE = {
    text: (one, { wanted }) => [agrees(words(one), wanted), words(one)],
    attribute: (one, { attribute, wanted }) => {
      const value = one.getAttribute(attribute);
      return [value !== null && agrees(value, wanted), value];
    },
    value: (one, { wanted }) => [agrees(one.value, wanted), one.value],
    name: (one, { wanted }) => [agrees(name(one), wanted), name(one)],
    checked: (one) => [state.checked(one), "not checked"],
    disabled: (one) => [one.matches(":disabled, [aria-disabled=true]"), "not disabled"],
    focused: (one) => [focused() === one, `the focus is on ${focused()?.outerHTML.slice(0, 200)}`],
    visible: (one) => [isSeen(one), "not visible"],
  };
  function holds(chain, what, asked) {
    const found = find(chain);
    if (OF_ALL[what]) return OF_ALL[what](found, asked);
    return found.length === 1 ? OF_ONE[what](found[0], asked) : [false, `${found.length} such elements`];
  }

  // What is done to the only one that is found, or read from it.
  const near = (element) => {
    const { top, left, bottom, right } = place(element);
    const inView = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
    if (!inView) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  };
  const tell = (element, value) => {
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value");
    element.focus();
    set.call(element, value);
    for (const kind of ["input", "change"]) element.dispatchEvent(new Event(kind, { bubbles: true, composed: true }));
  };
  const DONE = {
    box: (one) => {
      const { x, y, width, height } = place(one);
      return { x, y, width, height };
    },
    near,
    focus: (one) => one.focus(),
    fill: (one, { value }) => tell(one, value),
    select: (one, { label, index }) =>
      tell(one, [...one.options].find((option, k) => k === index || squeeze(option.text) === squeeze(label)).value),
    attribute: (one, { attribute }) => one.getAttribute(attribute),
    value: (one) => one.value,
    checked: (one) => state.checked(one),
    text: (one) => one.textContent,
    inner: (one) => one.innerText,
  };
  const READ = {
    count: (found) => found.length,
    visible: (found) => found.length > 0 && isSeen(found[0]),
    texts: (found) => found.map((one) => one.textContent),
    inners: (found) => found.map((one) => one.innerText),
  };

  // Things of the page that a test keeps, by number.
  const kept = [];
  const meant = (value) => (value?.kept === undefined ? value : kept[value.kept]);
  const evaluated = async (source, ...given) => {
    const value = (0, eval)(`(${source}\n)`);
    return typeof value === "function" ? value(...given) : value;
  };

  const soon = () => new Promise((resolve) => setTimeout(resolve, 15));
  async function until(patience, asked) {
    const end = performance.now() + 1000 * patience;
    for (;;) {
      const [good, what] = await asked();
      if (good || performance.now() > end) return [good, what];
      await soon();
    }
  }
  const only = (patience, chain) =>
    until(patience, () => {
      const found = find(chain);
      return [found.length === 1, found.length === 1 ? found[0] : `${found.length} such elements`];
    });

  return {
    expect: (patience, chain, what, asked, isNot) =>
      until(patience, () => {
        const [good, found] = holds(chain, what, asked);
        return [good !== isNot, found];
      }),
    async act(patience, chain, what, asked) {
      const [good, one] = await only(patience, chain);
      return good ? [true, (await DONE[what](one, asked)) ?? null] : [false, one];
    },
    read: (chain, what) => READ[what](find(chain)),
    /** Bring the only one into view and wait until it stands still; return where it is. */
    async reach(patience, chain) {
      let before = "";
      return until(patience, async () => {
        const found = find(chain);
        if (found.length !== 1) return [false, `${found.length} such elements`];
        near(found[0]);
        const box = DONE.box(found[0]);
        const still = JSON.stringify(box) === before && box.width > 0 && box.height > 0;
        before = JSON.stringify(box);
        if (!still) await new Promise(requestAnimationFrame);
        return [still, box];
      });
    },
    async evaluate(patience, chain, source, arg, many) {
      const [good, one] = many ? [true, find(chain)] : await only(patience, chain);
      return good ? [true, (await evaluated(source, one, meant(arg))) ?? null] : [false, one];
    },
    async keep(patience, chain, source) {
      const [good, one] = await only(patience, chain);
      if (!good) return [false, one];
      kept.push(await evaluated(source, one));
      return [true, { kept: kept.length - 1 }];
    },
    page: async (source, arg) => (await evaluated(source, meant(arg))) ?? null,
    wait: (patience, source, arg) =>
      until(patience, async () => [Boolean(await evaluated(source, meant(arg))), null]),
  };
})();
