/** Help documents of `generated/help/index.json`, the form in which `tool_help` shows one, and addresses of the documentation site. */

import type { Example, JsonSchema, JsonValue, Kind, Parameter, Policy, PolicySpan, Tool } from "./registry.js";

/** One argument as help lists it. */
export interface HelpArgument {
  /** As calls and their examples have it; `usage` and signatures have the name in Python, such as `from_`. */
  readonly name: string;
  readonly type: string;
  readonly required?: true;
  readonly default?: JsonValue;
  readonly description?: string;
}

/** The complete help of one op. */
export interface HelpDocument {
  readonly kind: Kind;
  readonly summary: string;
  /** `onto.task.list(project_id?, state_key?, limit=20)` */
  readonly usage: string;
  readonly args: readonly HelpArgument[];
  readonly notes: readonly string[];
  readonly policy?: Policy;
  /** At most three; short help shows the first one. */
  readonly examples: readonly Example[];
  readonly description: string;
  readonly returns: string;
  readonly errors: readonly string[];
  readonly see_also: readonly string[];
  /** Constraints in words. */
  readonly constraints: readonly string[];
}

/** Members that the registry says too. */
type Repeated = "args" | "description" | "returns";

/** The help of an op in the index: without what it repeats of the tool in the registry. */
export type ListedHelp = Omit<HelpDocument, Repeated> & Partial<Pick<HelpDocument, Repeated>>;

/** What help says of a parameter. */
export const argumentOf = (one: Parameter): HelpArgument => ({
  name: one.original,
  type: one.type,
  ...(one.required ? { required: true as const } : {}),
  ...(one.default === undefined ? {} : { default: one.default }),
  ...(one.description === undefined ? {} : { description: one.description }),
});

const RESULT = "): Promise<";

const repeatedOf = ({ parameters, description, signature: { typescript } }: Tool): Pick<HelpDocument, Repeated> => ({
  args: parameters.map(argumentOf),
  description,
  returns: typescript.slice(typescript.lastIndexOf(RESULT) + RESULT.length, -1),
});

/** The help of an op for the index. {@link wholeHelp} gives the document again. */
export function listedHelp(document: HelpDocument, tool: Tool): ListedHelp {
  const repeated: Partial<HelpDocument> = repeatedOf(tool);
  const isSaid = ([name, value]: readonly [string, unknown]): boolean =>
    JSON.stringify(repeated[name as Repeated]) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(document).filter((one) => !isSaid(one))) as unknown as ListedHelp;
}

/** The help of an op, from the index and its tool. */
export const wholeHelp = (listed: ListedHelp, tool: Tool): HelpDocument => ({ ...repeatedOf(tool), ...listed });

/** A parameter of a snippet as `snippets.yaml` declares it. */
export interface ListedParameter {
  readonly name: string;
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly type?: string;
  readonly description?: string;
  readonly example?: JsonValue;
  readonly enum?: readonly JsonValue[];
}

/** A snippet in the help index, for the documentation; the runtime reads snippets from `snippets.yaml`. */
export interface ListedSnippet {
  readonly name: string;
  readonly description: string;
  /** As `run.languages` has it; absent: the first language. */
  readonly language?: string;
  readonly params: readonly ListedParameter[];
  readonly body: string;
}

/** `generated/help/index.json`. */
export type HelpIndexFile = Omit<HelpIndex, "ops"> & { readonly ops: { readonly [op: string]: ListedHelp } };

/** The help of all ops. */
export interface HelpIndex {
  readonly registry_version: string;
  readonly ops: { readonly [op: string]: HelpDocument };
  readonly packs: { readonly [pack: string]: { readonly summary: string; readonly instructions?: string } };
  readonly aliases: readonly { readonly name: string; readonly target: string }[];
  readonly snippets: readonly ListedSnippet[];
}

/** Options of a help request. */
export interface HelpOptions {
  readonly format: "short" | "full";
  readonly include_examples: boolean;
  readonly include_schemas: boolean;
}

/** A help answer for one op. */
export interface OpHelp extends Partial<Omit<HelpDocument, "kind" | "policy" | "examples">> {
  readonly type: "op";
  readonly path: string;
  readonly registry_version: string;
  readonly kind: Kind;
  readonly policy?: Omit<Policy, "source"> & { readonly source?: readonly PolicySpan[] };
  readonly examples?: readonly Example[];
  readonly schema?: JsonSchema;
  /** The part of the arguments or of the result that the answer is about, and its shape. */
  readonly at?: string;
  readonly shape?: string;
  readonly default?: JsonValue;
  /** Texts, and JSON, that are longer than a page, in order. */
  readonly parts?: readonly { readonly of: string; readonly text: string }[];
  /** The number of the page and of all pages, of an answer in pages. */
  readonly page?: number;
  readonly pages?: number;
  /** A call that shows what this answer leaves out. */
  readonly next?: HelpCall;
}

/** A request of `tool_help`, as answers propose it. */
export interface HelpCall {
  readonly path: string;
  readonly at?: string;
  readonly page?: number;
  readonly format?: string;
  readonly include_examples?: boolean | string;
  readonly include_schemas?: boolean | string;
}

/** What help says of a result whose type is neither declared nor learned. */
export const UNKNOWN = "unknown";

/** Hexadecimal digits of a version in answers. */
export const VERSION_DIGITS = 12;

/** A `registry_version` as answers show it; the digest of extension tools after a `+` is already short. */
export function shortVersion(version: string): string {
  const [registry = "", ...overlay] = version.split("+");
  return [registry.slice(0, VERSION_DIGITS), ...overlay].join("+");
}

/** The folder of a pack under the base address. */
export const docsFolder = (pack: string, slugs: ReadonlyMap<string, string>): string =>
  slugs.get(pack) ?? encodeURIComponent(pack);

/** The address of a folder under the base address. */
export const docsUrl = (base: string, folder: string): string =>
  `${base.replace(/\/*$/, "")}/${folder === "" ? "" : `${folder}/`}`;
