// Whose a key is. Where this attribute stands, JupyterLab and Notebook 7 take no key for a shortcut.

const WITHHELD = "data-lm-suppress-shortcuts";

/**
 * Keep the keys that an element uses from the notebook, and let it have its own. Returns what undoes
 * it. The window hears a key first: JupyterLab listens when it has come up to the document, Notebook
 * 7 while it goes down.
 */
export function shareKeys(element) {
  const judge = (event) => {
    if (event.composedPath().includes(element)) element.toggleAttribute(WITHHELD, !isTheirs(event));
  };
  addEventListener("keydown", judge, { capture: true });
  element.addEventListener("keydown", keepFromCode);
  return () => {
    removeEventListener("keydown", judge, { capture: true });
    element.removeEventListener("keydown", keepFromCode);
  };
}

/** VS Code hears a key last, as it leaves the window; of Home or an arrow it takes the focus away. */
function keepFromCode(event) {
  if (document.body.dataset.vscodeThemeKind && !isTheirs(event)) event.stopPropagation();
}

/** Ctrl or Cmd with one letter, digit or sign, to save, say; but not what edits text, or undoes. */
const isTheirs = ({ ctrlKey, metaKey, altKey, key }) => (ctrlKey || metaKey) && !altKey && /^[^acvxyz]$/i.test(key);
