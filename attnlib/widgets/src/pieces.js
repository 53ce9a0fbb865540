// A sentence in the pieces that the real encoder knows, as attnlib.encoder cuts it.

export const UNKNOWN = "[UNK]";
const MARKS = /(\[PAD\]|\[UNK\]|\[CLS\]|\[SEP\]|\[MASK\])/; // they stand for themselves in a sentence
const LONGEST = 100; // letters of a word that is cut into pieces; a longer one is unknown
// What Python takes for a space: JavaScript's \s has the mark of an order of bytes, and lacks the first few.
const SPACE = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/u; // control, format, private, half of a pair: dropped
const ACCENT = /\p{Mn}/gu;
const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/gu; // all of ASCII's signs are, $ and ~ as well
const CHINESE = /[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/u;

/** The pieces of a sentence, between [CLS] and [SEP]; the vocabulary is a Map or a Set of pieces. */
export function tokenize(sentence, vocabulary) {
  const parts = sentence.split(MARKS); // every second one is a mark
  const pieces = parts.flatMap((part, k) => (k % 2 ? [part] : words(part).flatMap((word) => cut(word, vocabulary))));
  return ["[CLS]", ...pieces, "[SEP]"];
}

/** The words of a text, plain and small, each mark of punctuation one of its own. */
function words(text) {
  const spaced = Array.from(text, (c) => (CHINESE.test(c) ? ` ${c} ` : kept(c))).join("");
  const plain = spaced.normalize("NFD").replace(ACCENT, "").toLowerCase();
  return plain.replace(PUNCTUATION, " $& ").split(SPACE).filter(Boolean);
}

function kept(c) {
  if (SPACE.test(c)) return " ";
  return UNSEEN.test(c) ? "" : c;
}

/** The pieces of a word, the longest that is known first. */
function cut(word, vocabulary) {
  const letters = Array.from(word); // a letter beyond the first 65,536 is one, not two halves
  if (letters.length > LONGEST) return [UNKNOWN];
  const pieces = [];
  for (let start = 0; start < letters.length; ) {
    const from = (end) => (start ? "##" : "") + letters.slice(start, end).join("");
    let end = letters.length;
    while (end > start && !vocabulary.has(from(end))) end -= 1;
    if (end === start) return [UNKNOWN];
    pieces.push(from(end));
    start = end;
  }
  return pieces;
}
