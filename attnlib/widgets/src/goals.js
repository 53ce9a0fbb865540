// What a widget asks of the hand: whether it is there, and what of it is missing. Python judges alike.

/** What is asked and not there, of numbers by name: [{ name, place, is, least, most }, …]. */
export function open(goal, numbers) {
  return goal.asked
    .map(([name, place, least, most]) => ({ name, place, least, most, is: at(numbers[name], place) }))
    .filter(({ is, least, most }) => !within(is, least, most));
}

/** Whether all is there, and no more numbers differ from the start than may. */
export const met = (goal, numbers, inputs) => !tooMany(goal, inputs) && open(goal, numbers).length === 0;

/** How many numbers differ from the start where that is more than may, and otherwise 0. */
export function tooMany({ changing, start }, inputs) {
  if (changing === null) return 0;
  const moved = Object.keys(start).reduce((sum, name) => sum + changed(start[name], inputs[name]).length, 0);
  return moved > changing ? moved : 0;
}

/** The places of the numbers in which two inputs differ. */
export function changed(before, after) {
  const [old, now] = [flat(before), flat(after)];
  return Array.from({ length: Math.max(old.length, now.length) }, (_, k) => k).filter((k) => old[k] !== now[k]);
}

const flat = (x) => (Array.isArray(x) ? x.flat(Infinity) : [x]);

const at = (x, place) => place.reduce((part, k) => part?.[k], x);

const within = (x, least, most) =>
  typeof x === "number" && !Number.isNaN(x) && (least === null || x >= least) && (most === null || x <= most);
