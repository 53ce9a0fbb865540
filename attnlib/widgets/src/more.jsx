// What a first look does without: folded below the picture.

import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { Begun } from "./afresh.js";

const REST = 400; // milliseconds

/**
 * A part that unfolds when asked, and by itself when what it holds is `needed`; a moment folds what
 * only an earlier need unfolded. While it is closed, what it holds is drawn once the hand rests, if
 * one is at work: nobody sees it, so no key waits for it.
 */
export function More({ title, needed = false, onOpen, children }) {
  const [open, setOpen] = useState(needed);
  const byHand = useRef(false);
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
  useEffect(() => {
    const stays = needed || byHand.current;
    // What is folded away cannot keep the focus, and keys would reach the widget no more.
    if (!stays && element.current.contains(element.current.getRootNode().activeElement)) element.current.firstChild.focus();
    setOpen(stays);
  }, [useContext(Begun)]);
  const turn = ({ currentTarget }) => {
    if (currentTarget.open !== open) byHand.current = currentTarget.open;
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
