// A recorded widget, in each of its moments: as it is entered afresh, and whatever came before.
async (recorded) => {
  const { _moments: moments } = recorded.traits;
  const frames = async (n) => {
    for (let k = 0; k < n; k += 1) await new Promise((then) => requestAnimationFrame(then));
  };
  let place, undo;
  const show = async () => {
    undo?.();
    const links = moments.map(({ slug }) => Object.assign(document.createElement("a"), { href: `#moment:${slug}` }));
    place = document.createElement("div");
    document.body.replaceChildren(...links, place);
    undo = bundle.revive(recorded, place);
    await frames(3);
  };
  const view = () => place.shadowRoot.querySelector(".widget").cloneNode(true);
  // What motion, focus and folds leave in a picture is no part of what it shows.
  const AROUND = ".subject, .moments, .goal, .foot, [role=status], details:not([open]) > :not(summary)";
  const PASSING = /\b(glides|arrives)\b|\s+/g;
  const LEFT_OUT = ["id", "for", "name", "aria-labelledby", "tabindex", "clip-path"];
  const drawn = () => {
    const root = view();
    root.querySelectorAll(AROUND).forEach((one) => one.remove());
    for (const one of root.querySelectorAll("*")) {
      LEFT_OUT.forEach((name) => one.removeAttribute(name));
      const style = (one.getAttribute("style") ?? "").split("; ").map((rule) => rule.replace(/;$/, "")).sort();
      one.removeAttribute("style");
      const kind = one.getAttribute("class")?.replaceAll(PASSING, " ").trim();
      one.removeAttribute("class");
      one.setAttribute("data-seen", `${style.filter(Boolean).join(";")} ${kind ?? ""}`);
    }
    return root.innerHTML;
  };
  const texts = (node) => (node.nodeType === Node.TEXT_NODE ? [node.data] : [...node.childNodes].flatMap(texts));
  const said = () => {
    const root = view();
    root.querySelectorAll(AROUND).forEach((one) => one.remove());
    return texts(root).join(" ").replaceAll(/\s+/g, " ").replaceAll(/ (?=[,.:”](\s|$))/g, "");
  };
  const inputs = () => JSON.stringify(Object.keys(recorded.traits).filter((name) => name[0] !== "_").map((name) => place.shows.get(name)));
  const seen = () => ({ words: said(), picture: drawn(), inputs: inputs() });
  const ENTER = {
    hand: (k) => place.shadowRoot.querySelectorAll(".moments button")[k].click(),
    link: (k) => document.querySelectorAll("a")[k].click(),
  };
  const enter = async (by, k) => {
    ENTER[by](k);
    await frames(3);
  };

  let seed = 1;
  const draw = (all) => all[(seed = (seed * 16807) % 2147483647) % all.length];
  /** Six controls, cells and parts of the picture, each pressed or moved; and the pointer stays on the last. */
  const touch = async () => {
    const root = place.shadowRoot;
    const folded = [...root.querySelectorAll("details:not([open]) > summary")];
    folded.forEach((one) => one.click());
    await frames(3);
    for (let k = 0; k < 6; k += 1) {
      const USED = "input, select, td, path, rect, [data-cell], [role=slider], button:not(.moments *, .foot *)";
      const one = draw([...root.querySelectorAll(USED)].filter((one) => one.getClientRects().length));
      const { left, top, width, height } = one.getBoundingClientRect();
      const at = { bubbles: true, composed: true, clientX: left + width / 2, clientY: top + height / 2, pointerType: "mouse", detail: 1 };
      one.dispatchEvent(new PointerEvent("pointermove", at));
      if (["range", "number"].includes(one.type)) {
        one.value = Number(one.min) + draw([0, 1, 2, 3]) / 3 * (one.max - one.min);
        one.dispatchEvent(new Event("input", { bubbles: true }));
      } else if (one.localName === "select") {
        one.value = draw([...one.options]).value;
        one.dispatchEvent(new Event("change", { bubbles: true }));
      } else one.dispatchEvent(new MouseEvent("click", at));
      await frames(1);
    }
    folded.forEach((one) => one.parentElement.open && one.click());
    await frames(2);
  };

  const afresh = [];
  for (const k of moments.keys()) {
    await show();
    await enter("hand", k);
    afresh.push(seen());
  }
  const others = [];
  const judge = async (from, by, k) => {
    await enter(by, k);
    const now = seen();
    const other = Object.keys(now).filter((name) => now[name] !== afresh[k][name]);
    if (other.length) others.push({ from, by, to: moments[k].title, other, was: other.map((name) => [afresh[k][name], now[name]]) });
  };
  await show();
  for (const [k, { title }] of moments.entries()) {
    for (let to = k; to < moments.length; to += 1) {
      await enter("link", k);
      await judge(title, "hand", to);
      if (to > k) await judge(moments[to].title, "link", k);
    }
    for (const by of Object.keys(ENTER)) {
      await touch();
      await judge("a hand", by, k);
    }
  }
  undo();
  return [afresh.map(({ words }) => words), others];
};
