/** A function of a state that keeps its last answer: view and goal ask for the same, one after the other. */
export function kept(names, answer) {
  let [asked, last] = [];
  return (state) => {
    if (!asked || names.some((name) => state[name] !== asked[name])) [last, asked] = [answer(state), state];
    return last;
  };
}
