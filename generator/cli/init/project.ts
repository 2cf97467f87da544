/** Makes the texts of the files that `init` writes, and of its additions to existing files. */

import { Document, isScalar, type Node, visit } from "yaml";
import type { LanguageFeature } from "../../../runtime/contract/program-language.js";
import { allLanguages } from "../../../runtime/contract/python-language.js";
import type { ServerEntry, SourceEntry } from "../../../runtime/contract/settings/entries.js";

/** What a new project declares. */
export interface NewProject {
  readonly sources: readonly SourceEntry[];
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** What else is set. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A feature whose keys are written into new projects. */
export interface WritingFeature extends LanguageFeature {
  readonly name: string;
  readonly written?: {
    /** Into a project that `init` makes, or a flag saves. */
    readonly init?: Readonly<Record<string, unknown>>;
    /** Into the project that stands for what flags name. */
    readonly flags?: Readonly<Record<string, unknown>>;
  };
}

/** What features write into a new project. */
export const settingsOfFeatures = (
  features: readonly WritingFeature[] = [],
  kind: keyof NonNullable<WritingFeature["written"]>,
): Readonly<Record<string, unknown>> => Object.assign({}, ...features.map(({ written }) => written?.[kind]));

const SCHEMA = "yaml-language-server: $schema=../node_modules/toolwright/schema.json";
/** Longest list that is written on one line, in characters. */
const ONE_LINE = 100;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the library leaves plain, and the merge key.
const NEEDS_QUOTES = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|^<<$/;

/**
 * `definitions/toolwright.yaml`. Names and arguments are foreign text: the library quotes them where needed.
 *
 * @param features - whose languages programs may be in, too: a project that names none has the first one alone
 */
export function configText(
  { sources, servers, settings }: NewProject,
  features: readonly LanguageFeature[] = [],
): string {
  const languages = allLanguages(features).map(({ name }) => name);
  const named = Object.keys(servers).length > 0 ? { servers } : {};
  const document = new Document({ sources, ...named, run: { languages }, ...settings });
  styled(document);
  return `# ${SCHEMA}\n${document.toString({ lineWidth: 0, flowCollectionPadding: false })}`;
}

/** Short lists on one line, and quotes around what would be read otherwise. */
export function styled(written: Document | Node): void {
  visit(written, {
    Seq: (key, node) => {
      if (key === "value" && node.items.every(isScalar)) node.flow = JSON.stringify(node).length <= ONE_LINE;
    },
    Scalar: (_, node) => {
      if (typeof node.value === "string" && NEEDS_QUOTES.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
}

/** Without `eol=lf`, every generated file would differ in a checkout on Windows; definitions have the same line ends everywhere. */
const ATTRIBUTES = [
  "definitions/** text=auto eol=lf",
  "generated/** linguist-generated text eol=lf",
  "generated/validators/** linguist-generated -diff",
] as const;

/** `.gitattributes` with the lines for `definitions/` and `generated/`; undefined if it already has them. */
export const attributesText = (before: string | undefined): string | undefined => withLines(before, ATTRIBUTES);

/** State and keys, such as that of `toolwright keys init --out admin.key`. */
const IGNORED = [".onetool/", "*.key"] as const;

/** `.gitignore` with the lines for state and keys, and one for packages where there is none; undefined if it already has them. */
export const ignoreText = (before: string | undefined): string | undefined =>
  withLines(before, before === undefined ? ["node_modules/", ...IGNORED] : IGNORED);

/** A text with the lines that it lacks; undefined if it has all. */
function withLines(before: string | undefined, wanted: readonly string[]): string | undefined {
  const lines = (before ?? "").split(/\r?\n/).map((line) => line.trim());
  const missing = wanted.filter((one) => !lines.includes(one));
  if (missing.length === 0) return undefined;
  const start = before === undefined || before === "" || before.endsWith("\n") ? (before ?? "") : `${before}\n`;
  return `${start}${missing.join("\n")}\n`;
}

const SCRIPTS = { generate: "toolwright generate", check: "toolwright check" } as const;

/** `package.json` with the missing scripts added; undefined if none is missing. */
export async function packageText(before: string): Promise<string | undefined> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const value: unknown = parse(before);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const scripts = "scripts" in value ? value.scripts : {};
  if (typeof scripts !== "object" || scripts === null || Array.isArray(scripts)) return undefined;
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(before),
    tabSize: /^ {4}\S/m.test(before) && !/^ {2}\S/m.test(before) ? 4 : 2,
    eol: "\n",
  };
  let text = before;
  for (const [name, script] of Object.entries(SCRIPTS))
    if (!Object.hasOwn(scripts, name))
      text = applyEdits(text, modify(text, ["scripts", name], script, { formattingOptions }));
  return text === before ? undefined : text;
}

/** The starter example: one tool and its handler. */
export const STARTER = {
  source: { "chat-tools": "tools.ts", pack: "demo", handlers: "handlers.ts" },
  files: {
    "tools.ts": `/** Function tools, read statically: nothing here is run. */
export const TOOLS = [
  {
    type: "function",
    function: {
      name: "get_greeting",
      description: "Greet somebody by name.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", description: "Who is greeted." } },
        required: ["name"],
        additionalProperties: false,
      },
    },
  },
];
`,
    "handlers.ts": `import type { DemoHandlers } from "../../generated/handlers.js";

/** What runs, by op; the type names every op of the pack. */
export const handlers = {
  "demo.get_greeting": async ({ name }) => ({ greeting: \`Hello, \${name}!\` }),
} satisfies DemoHandlers;
`,
  },
} as const;
