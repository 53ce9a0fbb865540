// What a first look does without: folded below the picture.

import { useEffect, useState } from "preact/hooks";

/** A part that unfolds when asked, and by itself while what it holds is `needed`. */
export function More({ title, needed = false, onOpen, children }) {
  const [open, setOpen] = useState(needed);
  useEffect(() => {
    if (needed) setOpen(true);
  }, [needed]);
  return (
    <details class="more" open={open} onToggle={({ currentTarget }) => (setOpen(currentTarget.open), onOpen?.(currentTarget.open))}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
