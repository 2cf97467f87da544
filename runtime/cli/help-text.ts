/** Formats help answers for a terminal. */

import type { DirectoryAnswer, HelpAnswer, OpAnswer, ResultsAnswer } from "../catalog/help-answers.js";
import type { HelpArgument } from "../contract/help.js";
import { counted, onLines } from "../contract/message-text.js";

type Paint = (style: "red" | "yellow" | "green" | "dim" | "bold", text: string) => string;

/** The text of an answer with a final newline; control characters in it are removed. */
export function helpText(given: HelpAnswer, paint: Paint): string {
  const answer = safe(given) as HelpAnswer;
  const lines = answer.type === "op" ? opLines(answer, paint) : otherLines(answer, paint);
  return `${lines.join("\n")}\n`;
}

/** Members that are printed as JSON, which escapes them. */
const AS_JSON: ReadonlySet<string> = new Set(["schema", "examples", "default"]);

/** Cleans every text of an answer before colours are added. */
function safe(value: unknown): unknown {
  if (typeof value === "string") return onLines(value);
  if (Array.isArray(value)) return value.map(safe);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, AS_JSON.has(key) ? one : safe(one)]));
}

/** JSON leaves some control characters unescaped. */
const json = (value: unknown, indent?: number): string => onLines(JSON.stringify(value, undefined, indent));

const unknownLines = ({ no_op_has: words = [] }: ResultsAnswer): readonly string[] =>
  words.length > 0 ? [`No op has: ${words.join(", ")}`] : [];

function otherLines(answer: Exclude<HelpAnswer, OpAnswer>, paint: Paint): readonly string[] {
  if (answer.type === "directory")
    return [paint("bold", answer.path), ...itemLines(answer.items, paint), ...pageLines(answer, paint)];
  if (answer.type === "results")
    return [
      paint("bold", counted(answer.found, "op")),
      ...answer.items.map((one) => `  ${one}`),
      ...unknownLines(answer),
    ];
  const { error } = answer;
  const first = paint("red", `${error.code} ${error.message}`);
  if (answer.type === "error") return [first];
  const near = answer.suggestions.length > 0 ? [`Did you mean ${answer.suggestions.join(", ")}?`] : [];
  return [first, ...near, ...itemLines(answer.items, paint)];
}

function itemLines(items: DirectoryAnswer["items"], paint: Paint): readonly string[] {
  const rows = items.map((item): readonly [string, string] => {
    if ("group" in item)
      return [item.group, [counted(item.ops, "op"), item.summary, item.holds].filter(Boolean).join("  ")];
    if ("summary" in item) return [item.op, `${item.kind.padEnd(5)}  ${item.summary}`];
    return [item.op, item.usage ?? ""];
  });
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${paint("dim", text)}`);
}

/** How to see the rest of a long answer. */
function pageLines({ next }: DirectoryAnswer | OpAnswer, paint: Paint): readonly string[] {
  if (next?.page !== undefined) return ["", paint("dim", `More: --page ${next.page}`)];
  return next?.at === undefined ? [] : ["", paint("dim", `… in full: --at ${next.at}`)];
}

function opLines(answer: OpAnswer, paint: Paint): readonly string[] {
  const { args = [], notes = [], policy, examples = [], constraints = [], see_also: also = [] } = answer;
  return [
    `${paint("bold", answer.path)}${answer.at === undefined ? "" : ` ${answer.at}`} (${answer.kind}${answer.denied ? ", needs --allow-write" : ""})`,
    answer.description ?? answer.summary ?? "",
    "",
    `  ${answer.usage ?? ""}`,
    ...(args.length > 0 ? ["", paint("bold", "Arguments"), ...argumentLines(args)] : []),
    ...list("Shape", answer.shape === undefined ? [] : [answer.shape], paint),
    ...list("Returns", answer.returns === undefined ? [] : [answer.returns], paint),
    ...list("Do", policy?.do, paint),
    ...list("Do not", policy?.dont, paint),
    ...list("Edge cases", policy?.edge_cases, paint),
    ...list("Notes", notes, paint),
    ...list("Constraints", constraints, paint),
    ...list(
      "Examples",
      examples.map((one) => json({ op: one.op, args: one.args })),
      paint,
    ),
    ...list("See also", also, paint),
    ...(answer.items ? ["", paint("bold", "Below it"), ...itemLines(answer.items, paint)] : []),
    ...(answer.schema ? ["", paint("bold", "Schema"), json(answer.schema, 2)] : []),
    ...(answer.parts ?? []).flatMap(({ of, text }) => ["", paint("bold", `Part of ${of}`), text]),
    ...pageLines(answer, paint),
  ];
}

const list = (title: string, items: readonly string[] | undefined, paint: Paint): readonly string[] =>
  items && items.length > 0 ? ["", paint("bold", title), ...items.map((one) => `  - ${one}`)] : [];

function argumentLines(args: readonly HelpArgument[]): readonly string[] {
  const names = Math.max(...args.map((one) => one.name.length));
  const types = Math.min(40, Math.max(...args.map((one) => one.type.length)));
  return args.map((one) => {
    const fallback = one.default === undefined ? "" : `  = ${json(one.default)}`;
    const about = one.description === undefined ? "" : `  ${one.description}`;
    return `  ${one.name.padEnd(names)} ${one.required ? "*" : " "} ${one.type.padEnd(types)}${fallback}${about}`;
  });
}
