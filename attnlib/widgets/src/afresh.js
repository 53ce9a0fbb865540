// What a hand has left in a view and no input tells, a row that was pressed, say: moments begin without it.

import { createContext } from "preact";
import { useCallback, useContext, useMemo, useState } from "preact/hooks";

/** How often a moment was chosen. */
export const Begun = createContext(0);

/** As useState, and at first again whenever a moment is chosen. */
export function useAfresh(initial) {
  const begun = useContext(Begun);
  const [{ since, value }, keep] = useState({ since: begun, value: initial });
  const set = useCallback((next) => {
    keep((old) => (old.since === begun && Object.is(old.value, next) ? old : { since: begun, value: next }));
  }, [begun]);
  return [since === begun ? value : initial, set];
}

/** As useRef, and at first again whenever a moment is chosen. */
export function useAfreshRef(initial) {
  return useMemo(() => ({ current: initial }), [useContext(Begun)]);
}
