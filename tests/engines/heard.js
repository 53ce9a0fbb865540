// What goes wrong in a page, and whom it asks: no driver tells of both. Runs before all else in the page.
const LOCAL = ["http://127.0.0.1", "file:", "data:", "blob:", "about:"];
const isOutside = (address) => !LOCAL.some((start) => address.startsWith(start));
const fetched = []; // not every engine lists what nobody answered
window.heard = {
  errors: [],
  outside: () => [...fetched, ...performance.getEntriesByType("resource").map(({ name }) => name)].filter(isOutside),
};
const LATER = /^ResizeObserver loop/; // no error: what was measured is told in the next frame
const note = (what) => LATER.test(what) || window.heard.errors.push(String(what));
const failed = ({ message, target }) => note(message ?? `not loaded: ${target.outerHTML.slice(0, 200)}`);
addEventListener("error", failed, true); // also where it is not heard above the element
addEventListener("unhandledrejection", ({ reason }) => note(`${reason}\n${reason?.stack}`));
const tell = console.error;
console.error = (...told) => {
  note(told.join(" "));
  tell.apply(console, told);
};
const asks = window.fetch;
window.fetch = (where, ...rest) => {
  fetched.push(new URL(where.url ?? where, location).href);
  return asks(where, ...rest);
};
