// What was drawn before is let go, whoever still holds a part of it. Preact's own names, as it ships
// them: of a node `__` is the parent, `__k` the children, `__c` the component, `__e` the element.

import { options } from "preact";

const { diffed, unmount } = options;
const standing = new WeakMap(); // of a component the node that stands for it

/**
 * An old node keeps its place in the tree of its time, and from there parts that have stayed since
 * lead to each later tree. One that is held, by a memo or as what was handed on to a part that is
 * seldom drawn, would so hold all that was ever drawn. It is cut off once another stands for its
 * component.
 */
options.diffed = (node) => {
  diffed?.(node);
  const component = node.__c;
  if (!component) return;
  const old = standing.get(component);
  if (old && old !== node) old.__ = old.__k = null;
  standing.set(component, node);
};

/** Chromium keeps a radio button that goes while it has a name: its group goes on listing it. */
options.unmount = (node) => {
  unmount?.(node);
  if (node.__e?.type === "radio") node.__e.name = "";
};
