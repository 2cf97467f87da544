/**
 * Tells keys that are data, such as ids, hashes, addresses and dates, from keys that are names. Of a key, only its shape is
 * known: it is a name if it is made of words, as names of arguments of tools are.
 */

/** A key that may be a name: letters, digits and separators of words, perhaps after a mark such as that of `@type`. */
const NAME = /^[@$_]{0,2}[A-Za-z][A-Za-z0-9_$-]{0,63}$/;

/** Forms of ids, hashes and dates, which names do not have. */
const DATA: readonly RegExp[] = [
  /\d{3}/,
  /^[0-9a-f]{8,}$/i,
  /[0-9a-f]{8}-[0-9a-f]{4}/i,
  /\d[A-Za-z]+\d/,
  /^(?=.*\d)(?=.*[a-z])[A-Za-z0-9_-]{16,}$/i,
  /[_-][A-Za-z]*\d[A-Za-z\d]{3,}$/,
  /^(?:eyJ|AKIA|AIza|gh[opsu]_|glpat|xox[a-z]-|[spr]k[-_])/,
];

/** More words are no name: they may be a sentence, and help shows names to models. */
const MAX_WORDS = 7;

/** Parts of a key in mixed case, and the length that they have at least on average if they are words. */
const [MIXED_PARTS, WORD_LENGTH] = [4, 2.6];

/** A word of this length is looked at letter by letter. */
const LONG_WORD = 6;
/** Abbreviations without vowels are shorter, such as `htmlpdf`. */
const LONG_ABBREVIATION = 9;
/** Pairs of letters that words do not have: so many, and this share of all of a word, make it data. */
const [ODD_PAIRS, ODD_SHARE] = [2, 0.25];

/** The letters that follow each letter in ten or more of the 8,475 words with which descriptions of tools are written. */
const FOLLOWERS: ReadonlyMap<string, string> = new Map(
  (
    "abcdfgiklmnprstuvwxyz baeilorsuy cacehiklorstuy dabcdegilmorstuy eabcdefghiklmnopqrstuvwxy " +
    "faefilorstuy gaeghilmnorsu haeimorstuy iabcdefgklmnoprstvxz jeou kaeisu ladefilmopstuvy mabeimopsuy " +
    "nacdefgiklmnoprstuvy oabcdfgijklmnoprstuvwxy padehiloprstu qu rabcdefgiklmnoprstuvwy " +
    "sacdefhiklmnopqstuwy tacefhilmnoprstuwy uabcdefgilmnoprst vaeio waehinors xaceipt yceilmnopst zaeio"
  )
    .split(" ")
    .map((row) => [row.charAt(0), row.slice(1)]),
);

/** Keys that were looked at: results of one op have the same ones. */
const looked = new Map<string, boolean>();
const MAX_LOOKED = 20_000;

/** Whether a key looks like data: such a key is never stored by name. */
export function isDataLike(key: string): boolean {
  const known = looked.get(key);
  if (known !== undefined) return known;
  if (!NAME.test(key)) return true;
  if (looked.size >= MAX_LOOKED) looked.clear();
  const isData = isNoName(key);
  looked.set(key, isData);
  return isData;
}

function isNoName(key: string): boolean {
  if (key === "__proto__" || DATA.some((form) => form.test(key)) || isMixed(key)) return true;
  const words = wordsOf(key);
  return words.length > MAX_WORDS || words.some(isOdd);
}

/** The words of `createdAt`, `created_at` and `HTTPStatus`. */
const wordsOf = (key: string): readonly string[] => key.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];

/** Whether a key changes its case more often than words do: `NffrFeUfNV`. */
function isMixed(key: string): boolean {
  return key.split(/[^A-Za-z]+/).some((run) => {
    const parts = wordsOf(run);
    return parts.length >= MIXED_PARTS && run.length < parts.length * WORD_LENGTH;
  });
}

/** Whether letters follow each other as in no word. */
function isOdd(word: string): boolean {
  const letters = word.toLowerCase();
  if (letters.length < LONG_WORD || (letters.length < LONG_ABBREVIATION && !/[aeiouy]/.test(letters))) return false;
  let odd = 0;
  for (let at = 1; at < letters.length; at++)
    if (!FOLLOWERS.get(letters.charAt(at - 1))?.includes(letters.charAt(at))) odd++;
  return odd >= ODD_PAIRS && odd > (letters.length - 1) * ODD_SHARE;
}
