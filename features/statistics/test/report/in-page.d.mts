/** The types of `in-page.mjs`: tests are compiled without browser types. */

/** Tries to put a script, a style and an image into the page; the title and the size of the heading afterwards. */
export function addThings(): readonly [title: string, size: string];

/** How many of the things that the first selector finds are visible inside of something that the second one finds. */
export function drawn(selectors: string[]): number;

/** Language, landmarks, headings, and how many things lack a name or a head. */
export function structure(): {
  readonly language: string;
  readonly landmarks: readonly number[];
  readonly headings: string;
  readonly nameless: number;
  readonly headless: number;
  readonly ids: readonly string[];
};

/** Contrast of visible text, and of marks, with the colour behind them (WCAG 2.2). */
export function contrasts(): readonly { readonly kind: string; readonly what: string; readonly ratio: number }[];

/** Texts of visible charts that leave their chart or lie on each other. */
export function misplaced(): readonly string[];
