/** The languages of `run`: the only door into their folders. */

import type { Languages, ProgramLanguage } from "../../contract/program-language.js";
import { PYTHON_LANGUAGE } from "../../contract/python-language.js";
import { type TextFault, textFault } from "../fault.js";
import { type FencedCode, fencedCode, unwrapCommand } from "../fence-processor.js";
import { isSnippet, snippetFault } from "../snippet-call.js";
import type { Interpreter, InterpreterSettings, Language, Misread } from "./language.js";

/**
 * How code without a fence looks to a language: `certain`, it has a form that no other language of `run` has; `likely`, a form of this
 * one; `valid`, it may be in it; `none`, it cannot be.
 */
export type Looks = "certain" | "likely" | "valid" | "none";

/** A language before its code is imported. */
export interface LanguageRow extends Pick<ProgramLanguage, "name" | "label" | "words" | "extensions"> {
  /** How code without a fence looks to it; asked only where there are several languages. */
  looks(code: string): Promise<Looks>;
  /** Whether the first program of a project runs without preparations, which take some seconds. */
  isPrepared?(root: string): Promise<boolean>;
  /** Imports its code. */
  load(): Promise<Language>;
}

/** A language that a feature adds. */
export interface AddedLanguage extends ProgramLanguage, LanguageRow {}

/** Languages; the first one reads what no other is meant for. */
export type LanguageRows = Languages<LanguageRow>;

/**
 * The languages of the core. Features add others.
 *
 * @example
 * const looks = async () => "none" as const;
 * const TOY: LanguageRow = { name: "toy", label: "Toy", words: ["toy"], extensions: [".toy"], looks, load: async () => toy };
 * openLanguages(root, {}, [...CORE_LANGUAGES, TOY]);
 */
export const CORE_LANGUAGES: LanguageRows = [
  {
    ...PYTHON_LANGUAGE,
    looks: async (code) => (await import("./python/form.js")).looksOfPython(code),
    isPrepared: async (root) => (await import("./python/lazy-engines.js")).isPythonPrepared(root),
    load: async () => (await import("./python/language.js")).PYTHON,
  },
];

/** A language with what runs it for one gateway. */
export interface OpenLanguage {
  readonly language: Language;
  readonly interpreter: Interpreter;
}

/** A command with what runs it. */
export interface OpenCommand extends OpenLanguage {
  /** With a fence if its language is not the first one, so that it is read in the same language again. */
  readonly command: string;
}

/** The languages of one gateway. Nothing is imported or started before one is needed. */
export interface OpenLanguages {
  /** The label of the first one. */
  readonly label: string;
  /** The first one. */
  usual(): Promise<OpenLanguage>;
  /** The words for `language` of a request. */
  readonly names: readonly string[];
  /**
   * The language of a command: the one that is asked for, that its fence names, whose form it has, else the first one.
   *
   * @param asked - the name of a language, or a word of its fences
   * @returns a fault if the command, or the request, names a language that is not run here
   */
  forCommand(command: string, asked?: string): Promise<OpenCommand | TextFault>;
  /**
   * The language of this name, which need not be one of programs: extension tools have their own.
   *
   * @throws Error if there is none
   */
  named(name: string): Promise<OpenLanguage>;
  /** How a command that its language refuses is to be sent, if it has a form that only another one has. */
  misread(command: string, name: string, asked?: string): Promise<Misread | undefined>;
  /** The language of a snippet, by default the first of all; a fault if it is not run here. */
  ofSnippet(snippet: string, language?: string): Promise<OpenLanguage | TextFault>;
  /** The labels of languages that have been asked for whose first program waits for preparations. */
  preparing(): Promise<readonly string[]>;
  /** Announces runs; never fails. */
  warm(): void;
  /** Ends running code; later runs fail. */
  close(): Promise<void>;
}

/** The languages that run here, and those that have a name here. */
interface Table {
  readonly rows: LanguageRows;
  /** The former included. */
  readonly all: readonly LanguageRow[];
}

/** Code is unwrapped by its language; here only the fence counts. */
const wrappingOf = ({ all }: Table) => ({
  words: all.flatMap(({ words }) => words),
  itself: "the code itself",
  literal: () => undefined,
});

/** The language of code without a fence. */
async function lookedUp(rows: LanguageRows, code: string): Promise<LanguageRow> {
  const [first, ...others] = rows;
  // Each language reads the call; the snippet says in which one it is written.
  if (isSnippet(code)) return first;
  const looks = await Promise.all(others.map((one) => one.looks(code)));
  const isOther = looks.some((one) => one === "certain" || one === "likely");
  if (!isOther) return first;
  const own = await first.looks(code);
  if (own === "certain") return first;
  const wanted: readonly Looks[] = own === "none" ? ["certain", "likely"] : ["certain"];
  return others.find((_, place) => wanted.includes(looks[place] ?? "none")) ?? first;
}

const nameText = (rows: LanguageRows): string => rows.map(({ name }) => name).join(" or ");

const labelText = (rows: LanguageRows): string => rows.map(({ label }) => label).join(" and ");

/** Why a command in another language is not run. */
function notRun({ rows, all }: Table, word: string): TextFault | undefined {
  const other = all.find(({ words }) => words.includes(word));
  if (!other || rows.some(({ name }) => name === other.name)) return undefined;
  const next = `Next: write the program in ${rows.map(({ label }) => label).join(" or ")}`;
  return textFault("SyntaxError", `this server runs ${labelText(rows)}, not ${other.label}`, next);
}

/** The code of a command, without its fence. */
function codeIn(table: Table, command: string): FencedCode {
  const unwrapped = unwrapCommand(command, wrappingOf(table));
  return unwrapped.kind === "code" ? unwrapped : { kind: "code", code: command };
}

/** What a command in this language looks like instead, if it has a form of another one and none of its own. */
async function misreadAs(table: Table, command: string, own: LanguageRow): Promise<LanguageRow | undefined> {
  const { code } = codeIn(table, command);
  // Text around a fence is advised of by its language.
  if (isSnippet(code) || code.includes("```")) return undefined;
  const others = table.all.filter(({ name }) => name !== own.name);
  const looks = await Promise.all(others.map((one) => one.looks(code)));
  const other = others.find((_, place) => looks[place] === "certain");
  return other && (await own.looks(code)) !== "certain" ? other : undefined;
}

/** A language that was chosen for a command. */
interface ChosenRow {
  readonly row: LanguageRow;
  /** Without its fence. */
  readonly code: string;
  /** Whether the command alone, without what the request asks for, is read in this language. */
  readonly isClear: boolean;
}

/** The language of a command: that of the request, of its fence, or of its form. */
async function rowOf(table: Table, command: string, asked: string | undefined): Promise<ChosenRow | TextFault> {
  const { rows } = table;
  const mayBeOther = rows.length > 1;
  const isLooked = mayBeOther || command.includes("```");
  const { code, fence: word = "" } = isLooked ? codeIn(table, command) : { code: command };
  const fence = word.toLowerCase();
  const named = (word: string) => rows.find(({ name, words }) => name === word || words.includes(word));
  const wanted = asked === undefined ? undefined : named(asked);
  if (asked !== undefined && !wanted)
    return notRun(table, asked) ?? textFault("TypeError", `run() 'language' must be ${nameText(rows)}`);
  const fenced = named(fence);
  const row = wanted ?? fenced;
  const byForm = async () => (mayBeOther ? lookedUp(rows, code) : rows[0]);
  const isFirst = async (one: LanguageRow) => one === rows[0] && one === (await byForm());
  if (row) return { row, code, isClear: fenced ? fenced === row : await isFirst(row) };
  const formed = await byForm();
  return notRun(table, fence) ?? { row: formed, code, isClear: formed === rows[0] };
}

/**
 * Opens languages for a project.
 *
 * @param rows - those of its programs
 * @param all - those that are there: a snippet is in the first one unless it names another
 */
export function openLanguages(
  root: string,
  settings: InterpreterSettings = {},
  rows: LanguageRows = CORE_LANGUAGES,
  all: LanguageRows = CORE_LANGUAGES,
): OpenLanguages {
  const [first] = rows;
  const table: Table = { rows, all: [...rows, ...all] };
  const opened = new Map<LanguageRow, Promise<OpenLanguage>>();
  const asked = new Set<LanguageRow>();
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
    names: rows.map(({ name }) => name),
    usual: () => of(first),
    async forCommand(command, wanted) {
      const chosen = await rowOf(table, command, wanted);
      if ("kind" in chosen) return chosen;
      const { row, code, isClear } = chosen;
      const [word = ""] = row.words;
      const canonical = isClear ? command : fencedCode(word, code);
      if (!isSnippet(code)) asked.add(row);
      return { ...(await of(row)), command: canonical };
    },
    async named(name) {
      const row = table.all.find((one) => one.name === name);
      if (!row) throw new Error(`run has no language ${name}: it has ${rows.map((one) => one.name).join(", ")}`);
      asked.add(row);
      return of(row);
    },
    async misread(command, name, wanted) {
      const own = rows.find((one) => one.name === name);
      const other = own && (await misreadAs(table, command, own));
      if (!other) return undefined;
      const isRun = rows.some((one) => one.name === other.name);
      const how = wanted === undefined ? `in a \`\`\`${other.words[0]} fence` : `with language "${other.name}"`;
      const only = rows.map(({ label }) => label).join(" or ");
      const advice = isRun
        ? `this looks like ${other.label}: send it ${how}`
        : `this looks like ${other.label}, and this server runs ${labelText(rows)}: write it in ${only}`;
      return { advice, isRun };
    },
    async ofSnippet(snippet, language = all[0].name) {
      const row = rows.find(({ name }) => name === language);
      if (row) {
        asked.add(row);
        return of(row);
      }
      const { label = language } = all.find(({ name }) => name === language) ?? {};
      return snippetFault(`snippet '$${snippet}' is written in ${label}; this server runs ${labelText(rows)}`);
    },
    async preparing() {
      const labels = [...asked].map(async ({ label, isPrepared }) =>
        !isPrepared || (await isPrepared(root)) ? [] : [label],
      );
      return (await Promise.all(labels)).flat();
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
