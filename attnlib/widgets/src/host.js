// A model for pages without a kernel: what anywidget promises to a front end, and no more.

import WIDGETS from "widgets";
import { defaults } from "../../pictures/shared.json";

const STATE = 'script[type="application/vnd.attnlib.widget+json"]';

class StillModel {
  #traits;
  #heard = new EventTarget();

  constructor(traits) {
    this.#traits = traits;
  }

  get(name) {
    return this.#traits[name];
  }

  set(name, value) {
    if (this.#traits[name] === value) return;
    this.#traits[name] = value;
    this.#heard.dispatchEvent(new CustomEvent(`change:${name}`));
  }

  on(event, heard) {
    this.#heard.addEventListener(event, heard);
  }

  off(event, heard) {
    this.#heard.removeEventListener(event, heard);
  }

  save_changes() {} // there is nobody to save them for
}

/** What a record leaves out: the traits of a class that are at their defaults. */
export const usual = (kind) => ({ ...defaults.Widget, ...defaults[kind] });

/** Show what is recorded of a widget in an element, alive; its picture stays if that is of another version. Returns what undoes it. */
export function revive({ class: kind, traits: recorded }, element, render) {
  const traits = { ...structuredClone({ ...usual(kind), ...recorded }), _class: kind, _kernel: false };
  const lacking = WIDGETS[kind].traits.filter((name) => traits[name] === undefined);
  if (lacking.length) throw new Error(`${kind} was saved by another version, without ${lacking}: run its cell again`);
  return render({ model: new StillModel(traits), el: element });
}

/** Bring every recorded widget below `root` to life. Its picture stays for print, and if that fails. */
export function enliven(root, render) {
  for (const script of root.querySelectorAll(STATE)) {
    if (script.dataset.enlivened) continue;
    script.dataset.enlivened = "true";
    const element = document.createElement("div");
    if (script.closest(".reveal")) element.classList.add("attnlib-large"); // a slide is read from afar
    try {
      revive(JSON.parse(script.textContent), element, render);
    } catch (error) {
      console.error("a widget could not be brought to life:", error);
      continue;
    }
    script.after(element);
    script.closest(".attnlib-widget")?.classList.add("attnlib-enlivened");
  }
}
