/** Finds JSON whose readers may disagree: of two members with one name, some take the first and others the last. */

/** A string of a JSON text, with the colon that makes it the name of a member. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gs;

/**
 * Whether an object of a JSON text, at any depth, has two members with one name, however they are spelled.
 *
 * @param value - what the text is
 * @example
 * repeatsMember('{"sub":"a","s\\u0075b":"b"}', { sub: "b" }); // true
 */
export function repeatsMember(text: string, value: unknown): boolean {
  let names = 0;
  for (const [, colon] of text.matchAll(STRING)) if (colon !== undefined) names += 1;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== "object" || one === null) continue;
    if (!Array.isArray(one)) names -= Object.keys(one).length;
    for (const member of Object.values(one)) left.push(member);
  }
  return names !== 0;
}
