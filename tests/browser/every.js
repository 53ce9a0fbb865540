// What one reads and hears of a widget, its folds open, where its place is so many pixels wide.
async ([recorded, width]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const place = document.createElement("div");
  place.style.width = `${width}px`;
  document.body.replaceChildren(place);
  bundle.revive(recorded, place);
  const root = place.shadowRoot.querySelector(".widget");
  root.querySelectorAll("details").forEach((fold) => { fold.open = true; });
  for (let k = 0; k < 4; k += 1) await frame(); // it measures its place, and draws anew
  const SAID = ["aria-label", "aria-valuetext", "title"];
  const told = [...root.querySelectorAll("*")].flatMap((one) => [
    ...[...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data),
    ...SAID.map((name) => one.getAttribute(name)),
  ]);
  return { told: told.filter(Boolean) };
};
