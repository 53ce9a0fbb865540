// What a first look does without: folded below the picture.

import { useEffect, useRef, useState } from "preact/hooks";

const REST = 400; // milliseconds

/**
 * A part that unfolds when asked, and by itself while what it holds is `needed`. While it is closed,
 * what it holds is drawn once the hand rests, if one is at work: nobody sees it, so no key waits for it.
 */
export function More({ title, needed = false, onOpen, children }) {
  const [open, setOpen] = useState(needed);
  const element = useRef(null);
  const [rested, rest] = useState(children);
  const atWork = element.current?.getRootNode().activeElement; // what has the focus within the widget
  useEffect(() => {
    const waiting = setTimeout(() => rest(children), REST);
    return () => clearTimeout(waiting);
  }, [children]);
  useEffect(() => {
    if (needed) setOpen(true);
  }, [needed]);
  const turn = ({ currentTarget }) => {
    setOpen(currentTarget.open);
    onOpen?.(currentTarget.open);
    tellUnfolded(currentTarget, currentTarget.open);
  };
  return (
    <details ref={element} class="more" open={open} onToggle={turn}>
      <summary>{title}</summary>
      {open || needed || !atWork ? children : rested}
    </details>
  );
}

/** Tell a page that gives widgets a size, a deck say, whether this one needs more room. */
export function tellUnfolded(element, detail) {
  element.dispatchEvent(new CustomEvent("attnlib:unfolded", { bubbles: true, composed: true, detail }));
}
