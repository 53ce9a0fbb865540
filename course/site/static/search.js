// The site's search: MiniSearch over the sections that `sections.py` gathers. The theme calls
// `Search.performSearch` while somebody types in its dialog; on the page search.html it is called here.

const Search = (() => {
  const FIELDS = { head: 5, page: 1, text: 1, code: 0.3 }; // what a word counts there
  // What a place counts: the last of these that its address has. Who asks wants to be told first.
  const KINDS = { "": 0.8, "glossary": 1.2, "notebooks/": 1.5, "your-turn": 0.8, "harder-task": 0.8, "homework/": 0.5 };
  const MOST = 12; // results
  const LEAST = 0.1; // of what the first one scores
  const HAN = /\p{Script=Han}/u;
  const IN_CHINESE = document.documentElement.lang.startsWith("zh");
  const AROUND = IN_CHINESE ? 50 : 120; // letters before and after the word that was found
  const NOTHING =
    "a an and are as at be by can do does for from how i if in is it of on or so that the this to we what when which why with you" +
    " 的 了 是 在 和 与 把 被 让 也 都 就 不 有 它 这 那 个 一 什么 为什么 怎么 怎样 如何 吗 呢";
  const nothing = new Set(NOTHING.split(" "));
  const root = () => document.documentElement.dataset.content_root;
  let index; // a promise of it, once somebody has searched

  const said = JSON.parse(document.querySelector("script[data-words]")?.textContent ?? "{}");
  const say = (words) => said[words] ?? words;
  const segmenter = Intl.Segmenter && new Intl.Segmenter("zh", { granularity: "word" });

  /** The words of a text. Chinese has nothing between them: the browser knows words. What it does not
   * know, or is not asked, is single letters, and of these each stands alone and with the next. */
  function words(text) {
    const runs = text.replaceAll("√", " sqrt 根号 ").match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{Letter}\p{Number}])+/gu);
    return (runs ?? []).flatMap((run) => {
      if (!HAN.test(run)) return [run];
      const pieces = segmenter ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [...run];
      return pieces.flatMap((piece, place) => {
        const next = pieces[place + 1] ?? "";
        return piece.length === 1 && next.length === 1 ? [piece, piece + next] : [piece];
      });
    });
  }

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

  /** What a place counts for who asks this. In Chinese, whose words come apart, it is more where
   * something goes by just this name. */
  function weight(id, asked) {
    const { address, names } = SECTIONS[id];
    const kinds = Object.keys(KINDS).filter((kind) => address.includes(kind));
    return KINDS[kinds.at(-1)] * (IN_CHINESE && names.toLowerCase().split(", ").includes(asked) ? 2 : 1);
  }

  /** Cut from a text the place where most of these words stand together, and mark them in it. */
  function excerpt(text, found) {
    const long = found.filter((word) => word.length > 1 || !HAN.test(word));
    const sorted = (long.length ? long : found).sort((one, other) => other.length - one.length);
    const letter = "(?!\\p{Script=Han})[\\p{Letter}\\p{Number}]"; // of what has spaces between its words
    const whole = sorted.map((word) => (HAN.test(word) ? word : `(?<!${letter})${word}(?!${letter})`));
    const any = new RegExp(`(${whole.join("|")})`, "giu");
    const places = [...text.matchAll(any)];
    const together = places.map(({ index }) => {
      const near = places.filter((other) => other.index >= index && other.index < index + AROUND);
      return new Set(near.map(([word]) => word.toLowerCase())).size;
    });
    const at = places[together.indexOf(Math.max(...together))]?.index ?? 0;
    const [first, last] = [at - AROUND, at + 2 * AROUND];
    const from = at < AROUND ? 0 : IN_CHINESE ? first : text.indexOf(" ", first) + 1;
    const to = text.length < last ? text.length : IN_CHINESE ? last : text.lastIndexOf(" ", last);
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
    const asked = query.trim().toLowerCase();
    index ??= made();
    const all = (await index).search(query, {
      boost: FIELDS,
      boostDocument: (id) => weight(id, asked),
      boostTerm: (word) => (word.length > 1 ? 1 : 0.3), // q, k and v are in most formulas
      bm25: { k: 1.2, b: 0.4, d: 0.5 }, // a long section is not worse for being long
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.15 : 0),
    });
    const best = all.filter(({ score }) => score > LEAST * all[0].score).slice(0, MOST);
    const status = document.createElement("p");
    status.setAttribute("role", "status");
    const told = best.length ? say("places, the likeliest first") : say("Nothing found");
    status.textContent = best.length ? `${best.length} ${told}` : told;
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
