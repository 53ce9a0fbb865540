// What a first look does without: folded below the picture.

import { useEffect, useState } from "preact/hooks";

/** A part that unfolds when asked, and by itself while what it holds is `needed`. */
export function More({ title, needed = false, onOpen, children }) {
  const [open, setOpen] = useState(needed);
  useEffect(() => {
    if (needed) setOpen(true);
  }, [needed]);
  const turn = ({ currentTarget }) => {
    setOpen(currentTarget.open);
    onOpen?.(currentTarget.open);
    tellUnfolded(currentTarget, currentTarget.open);
  };
  return (
    <details class="more" open={open} onToggle={turn}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Tell a page that gives widgets a size, a deck say, whether this one needs more room. */
export function tellUnfolded(element, detail) {
  element.dispatchEvent(new CustomEvent("attnlib:unfolded", { bubbles: true, composed: true, detail }));
}
