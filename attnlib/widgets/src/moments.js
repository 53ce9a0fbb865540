// Links to moments: #moment:it-looks-at-animal steps the first widget below it that has this one.

const LINK = "#moment:";

/** Obey the links of a page, wherever it is, and its own address. */
export function obeyLinks(page) {
  page.addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.(`a[href*="${LINK}"]`);
      // A notebook loads this file once for each widget: one of them is enough.
      if (link && !event.defaultPrevented && show(link.hash, link)) event.preventDefault();
    },
    true,
  );
  show(location.hash, page.body);
}

/** Show a moment in the first widget that has it and begins after an element; without one, above. */
function show(hash, after) {
  if (!hash.startsWith(LINK)) return false;
  const slug = decodeURIComponent(hash.slice(LINK.length));
  const all = [...document.querySelectorAll(".attnlib-live")];
  const able = all.filter((element) => element.dataset.moments?.split(" ").includes(slug));
  const below = able.find((element) => after.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  const widget = below ?? able.at(-1);
  widget?.dispatchEvent(new CustomEvent("attnlib-moment", { bubbles: true, detail: { slug } }));
  widget?.scrollIntoView({ block: "nearest" });
  return Boolean(widget);
}
