/** The languages of `run`: the only door into their folders. */

import { TRIGGERS } from "../triggers.js";
import type { Interpreter, InterpreterSettings, Language } from "./language.js";
import { PYTHON_FENCE_WORDS, PYTHON_LABEL } from "./python/words.js";

/** A language before its code is imported. */
export interface LanguageRow {
  readonly name: string;
  /** For people. */
  readonly label: string;
  /** Words that name it after the opening backticks of a code fence. */
  readonly words: readonly string[];
  /** Imports its code. */
  load(): Promise<Language>;
}

/**
 * The languages; the first one reads what no other is named for.
 *
 * @example
 * const TOY: LanguageRow = { name: "toy", label: "Toy", words: ["toy"], load: async () => toy };
 * openLanguages(root, {}, [...LANGUAGES, TOY]);
 */
export const LANGUAGES: readonly [LanguageRow, ...LanguageRow[]] = [
  {
    name: "python",
    label: PYTHON_LABEL,
    words: PYTHON_FENCE_WORDS,
    load: async () => (await import("./python/language.js")).PYTHON,
  },
];

/** A language with what runs it for one gateway. */
export interface OpenLanguage {
  readonly language: Language;
  readonly interpreter: Interpreter;
}

/** The languages of one gateway. Nothing is imported or started before one is needed. */
export interface OpenLanguages {
  /** The label of the first one. */
  readonly label: string;
  /** The first one. */
  usual(): Promise<OpenLanguage>;
  /** The language that a command names in its fence, else the first one. */
  forCommand(command: string): Promise<OpenLanguage>;
  /**
   * The language of this name.
   *
   * @throws Error if there is none
   */
  named(name: string): Promise<OpenLanguage>;
  /** Announces runs; never fails. */
  warm(): void;
  /** Ends running code; later runs fail. */
  close(): Promise<void>;
}

/** The word in the opening fence of a command, which a name of the tool may precede. */
const FENCE_WORD = new RegExp(`^\\s*(?:(?:${TRIGGERS.join("|")})\\s*)?\`{3,}[ \\t]*([\\w+#.-]{1,40})(?=\\s|$)`);

/** Opens languages for a project. */
export function openLanguages(
  root: string,
  settings: InterpreterSettings = {},
  rows: typeof LANGUAGES = LANGUAGES,
): OpenLanguages {
  const [first] = rows;
  const opened = new Map<LanguageRow, Promise<OpenLanguage>>();
  let isClosed = false;
  const load = async (row: LanguageRow): Promise<OpenLanguage> => {
    const language = await row.load();
    const interpreter = language.open(root, settings);
    if (isClosed) await interpreter.close();
    return { language, interpreter };
  };
  const of = (row: LanguageRow): Promise<OpenLanguage> => {
    const known = opened.get(row);
    if (known) return known;
    const open = load(row).catch((error: unknown) => {
      // The next run tries again.
      opened.delete(row);
      throw error;
    });
    opened.set(row, open);
    return open;
  };
  return {
    label: first.label,
    usual: () => of(first),
    forCommand(command) {
      const [, word = ""] = (rows.length > 1 && FENCE_WORD.exec(command)) || [];
      return of(rows.find(({ words }) => words.includes(word)) ?? first);
    },
    async named(name) {
      const row = rows.find((one) => one.name === name);
      if (!row) throw new Error(`run has no language ${name}: it has ${rows.map((one) => one.name).join(", ")}`);
      return of(row);
    },
    warm() {
      if (!isClosed)
        void of(first).then(
          ({ interpreter }) => interpreter.warm(),
          // A failure shows in the run that needs the language.
          () => undefined,
        );
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...opened.values()].map(async (one) => (await one.catch(() => undefined))?.interpreter.close()),
      );
    },
  };
}
