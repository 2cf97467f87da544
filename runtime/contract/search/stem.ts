/** The stemmer of Porter (1980): reduces `searches`, `searched` and `searching` to `search`. */

const CONSONANT = "[^aeiou]";
const VOWEL = "[aeiouy]";
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;

/** Minimum number of vowel-consonant pairs in a stem. */
const MEASURE_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const MEASURE_2 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const EXACTLY_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const HAS_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
const SHORT_END = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);

type Endings = readonly (readonly [ending: string, instead: string])[];

const pairs = (text: string): Endings =>
  text.split(" ").map((pair) => {
    const [ending = "", instead = ""] = pair.split(":");
    return [ending, instead];
  });

const STEP_2 = pairs(
  "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log",
);
const STEP_3 = pairs("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:");
const STEP_4 = pairs(
  "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: sion:s tion:t ou: ism: ate: iti: ous: ive: ize:",
);

/** The stem of a lower-case word; words of other alphabets and short words are unchanged. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const y = word.startsWith("y");
  const inner = plural(y ? `Y${word.slice(1)}` : word);
  const past = finalY(pastTense(inner));
  const short = replaced(replaced(replaced(past, STEP_2, MEASURE_1), STEP_3, MEASURE_1), STEP_4, MEASURE_2);
  return finalE(short).toLowerCase();
}

function plural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function pastTense(word: string): string {
  if (word.endsWith("eed")) return MEASURE_1.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const rest = /^(.+?)(?:ed|ing)$/.exec(word)?.[1];
  if (rest === undefined || !HAS_VOWEL.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return SHORT_END.test(rest) ? `${rest}e` : rest;
}

const finalY = (word: string): string =>
  word.endsWith("y") && HAS_VOWEL.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;

/** Replaces the longest known ending of a word if the remainder is long enough. */
function replaced(word: string, endings: Endings, measure: RegExp): string {
  const known = endings.filter(([ending]) => word.endsWith(ending)).sort(([a], [b]) => b.length - a.length);
  const [found] = known;
  if (!found) return word;
  const [ending, instead] = found;
  const rest = word.slice(0, word.length - ending.length);
  return measure.test(rest + (ending === "sion" || ending === "tion" ? instead : "")) ? rest + instead : word;
}

function finalE(word: string): string {
  let short = word;
  if (word.endsWith("e")) {
    const rest = word.slice(0, -1);
    if (MEASURE_2.test(rest) || (EXACTLY_1.test(rest) && !SHORT_END.test(rest))) short = rest;
  }
  return short.endsWith("ll") && MEASURE_2.test(short) ? short.slice(0, -1) : short;
}
