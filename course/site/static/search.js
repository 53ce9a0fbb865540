// The site's search: MiniSearch over the sections that `sections.py` gathers. The theme calls
// `Search.performSearch` while somebody types in its dialog; on the page search.html it is called here.

const Search = (() => {
  const FIELDS = { head: 5, page: 1, text: 1, code: 0.3 }; // what a word counts there
  // What a place counts: the last of these that its address has. Who asks wants to be told first.
  const KINDS = { "": 0.8, "glossary": 1.2, "notebooks/": 1.5, "your-turn": 0.8, "harder-task": 0.8, "homework/": 0.5 };
  const MOST = 12; // results
  const LEAST = 0.1; // of what the first one scores
  const AROUND = 120; // letters before and after the word that was found
  const NOTHING =
    "a an and are as at be by can do does for from how i if in is it of on or so that the this to we what when which why with you";
  const nothing = new Set(NOTHING.split(" "));
  const root = () => document.documentElement.dataset.content_root;
  let index; // a promise of it, once somebody has searched

  const words = (text) =>
    text.replaceAll("√", " sqrt ").match(/[\p{Letter}\p{Number}]+/gu) ?? [];

  /** Load a script of the site: pages that are files may fetch nothing. */
  const load = (name) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      Object.assign(script, { src: `${root()}_static/${name}`, onload: resolve, onerror: reject });
      document.head.append(script);
    });

  async function made() {
    await Promise.all([load("minisearch.js"), load("sections.js")]);
    const made = new MiniSearch({
      fields: Object.keys(FIELDS),
      tokenize: words,
      processTerm: (word) => (nothing.has(word.toLowerCase()) ? null : word.toLowerCase()),
    });
    // Its title and what the glossary calls it together: a word that many titles have tells little.
    made.addAll(SECTIONS.map((one, id) => ({ ...one, id, head: `${one.title} ${one.names}` })));
    return made;
  }

  function weight(id) {
    const kinds = Object.keys(KINDS).filter((kind) => SECTIONS[id].address.includes(kind));
    return KINDS[kinds.at(-1)];
  }

  /** Cut from a text the place where most of these words stand together, and mark them in it. */
  function excerpt(text, found) {
    const any = new RegExp(`(?<![\\p{Letter}\\p{Number}])(${found.join("|")})(?![\\p{Letter}\\p{Number}])`, "giu");
    const places = [...text.matchAll(any)];
    const together = places.map(({ index }) => {
      const near = places.filter((other) => other.index >= index && other.index < index + AROUND);
      return new Set(near.map(([word]) => word.toLowerCase())).size;
    });
    const at = places[together.indexOf(Math.max(...together))]?.index ?? 0;
    const from = at < AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1;
    const to = text.length < at + 2 * AROUND ? text.length : text.lastIndexOf(" ", at + 2 * AROUND);
    const shown = document.createElement("p");
    shown.append(from ? "… " : "");
    for (const [place, piece] of text.slice(from, to).split(any).entries()) {
      if (place % 2) shown.appendChild(document.createElement("mark")).textContent = piece;
      else shown.append(piece);
    }
    shown.append(to < text.length ? " …" : "");
    return shown;
  }

  function item({ id, terms }) {
    const { address, page, title, names, text } = SECTIONS[id];
    const called = new Set(names.split(", ").filter((name) => name !== title.toLowerCase() && words(name.toLowerCase()).some((word) => terms.includes(word))));
    const shown = document.createElement("li");
    const link = shown.appendChild(document.createElement("a"));
    link.href = root() + address;
    link.textContent = [title, ...called].join(" · ");
    if (title !== page) shown.appendChild(document.createElement("span")).textContent = page;
    shown.append(excerpt(text, terms));
    return shown;
  }

  async function performSearch(query) {
    const place = document.getElementById("search-results");
    index ??= made();
    const all = (await index).search(query, {
      boost: FIELDS,
      boostDocument: weight,
      boostTerm: (word) => (word.length > 1 ? 1 : 0.3), // q, k and v are in most formulas
      bm25: { k: 1.2, b: 0.4, d: 0.5 }, // a long section is not worse for being long
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.15 : 0),
    });
    const best = all.filter(({ score }) => score > LEAST * all[0].score).slice(0, MOST);
    const status = document.createElement("p");
    status.setAttribute("role", "status");
    status.textContent = best.length ? `${best.length} places, the likeliest first` : "Nothing found";
    const list = document.createElement("ol");
    list.append(...best.map(item));
    place.replaceChildren(status, list);
  }

  return { performSearch };
})();

if (location.pathname.endsWith("/search.html")) {
  addEventListener("DOMContentLoaded", () => {
    const query = new URLSearchParams(location.search).get("q");
    for (const field of document.querySelectorAll('input[name="q"]')) field.value = query;
    if (query) Search.performSearch(query);
  });
}
