/** Random Python from tables of templates: `$i` in a template becomes a whole number, `$s` a text, and so on. */

/** Templates and atoms of each sort. A letter names a sort; `leaves` end the growth, `grown` go on. */
export type Grammar = Readonly<Record<string, Sort>>;

/** The expansion of one letter. */
export interface Sort {
  readonly leaves: readonly string[];
  readonly grown?: readonly string[];
}

/** A source of numbers from 0 up to 1. */
export type Random = () => number;

/** One of several. */
export const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;

/** A table from text: one template a line, or several that two blanks divide. */
export const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\n| {2,}/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** A template with all placeholders filled; `depth` bounds the nesting of templates. */
export function filled(template: string, grammar: Grammar, random: Random, depth: number): string {
  return template.replace(/\$([a-z])/g, (_, letter: string) => {
    const { leaves, grown = [] } = grammar[letter] ?? { leaves: [] };
    if (depth <= 0 || grown.length === 0 || random() < 0.55) return pick(leaves, random);
    return `(${filled(pick(grown, random), grammar, random, depth - 1)})`;
  });
}
