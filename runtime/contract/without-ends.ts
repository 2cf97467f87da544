/** Strips the characters of a class from both ends of a text; a pattern for both ends takes quadratic time. */
export function withoutEnds(text: string, outer: RegExp): string {
  let [from, to] = [0, text.length];
  while (from < to && outer.test(text.charAt(from))) from++;
  while (to > from && outer.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
