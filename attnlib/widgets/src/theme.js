// Light or dark: what the host says of itself, else the background on which a widget stands.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";

const SYSTEM = matchMedia("(prefers-color-scheme: dark)");
const TOLD = ["data-jp-theme-light", "data-vscode-theme-kind", "data-theme", "class", "style"];
const BRIGHT = 128; // of 255

/** The theme of the host around an element, as it changes. The element is told as well. */
export function useTheme(place) {
  const [theme, setTheme] = useState(() => themeAround(place));
  useLayoutEffect(() => {
    place.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    const choose = () => setTheme(themeAround(place));
    const told = new MutationObserver(choose);
    for (const root of [document.documentElement, document.body]) told.observe(root, { attributeFilter: TOLD });
    const placed = new ResizeObserver(() => placed.disconnect() ?? choose()); // a notebook draws first, then places
    placed.observe(place);
    const faded = ({ propertyName }) => propertyName === "background-color" && choose();
    document.addEventListener("transitionend", faded);
    SYSTEM.addEventListener("change", choose);
    return () => {
      told.disconnect();
      placed.disconnect();
      document.removeEventListener("transitionend", faded);
      SYSTEM.removeEventListener("change", choose);
    };
  }, []);
  return theme;
}

function themeAround(place) {
  return said() ?? (isDark(place) ? "dark" : "light");
}

/** What the host says: Jupyter, then VS Code, then marimo, the site and our own pages. */
function said() {
  const { jpThemeLight, vscodeThemeKind, theme } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind) return /dark|contrast$/.test(vscodeThemeKind) ? "dark" : "light";
  return [document.documentElement.dataset.theme, theme].find((name) => name === "dark" || name === "light");
}

/** Whether the first background behind an element is dark; where none is painted, the page's is. */
function isDark(element) {
  const behind = element.parentElement ?? element.getRootNode().host;
  if (!behind) {
    const scheme = getComputedStyle(document.documentElement).colorScheme;
    return /dark/.test(scheme) && (SYSTEM.matches || !/light/.test(scheme));
  }
  const [red, green, blue, cover] = channels(getComputedStyle(behind).backgroundColor);
  return cover < BRIGHT ? isDark(behind) : 0.3 * red + 0.6 * green + 0.1 * blue < BRIGHT;
}

/** A colour in whatever words, as red, green, blue and how much it covers, each from 0 to 255. */
function channels(color) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  return pen.getImageData(0, 0, 1, 1).data;
}
