/** Help answers as a person reads them at a terminal. */

import type { HelpArgument } from "../contract/help.js";
import type { DirectoryAnswer, HelpAnswer, OpAnswer } from "../help.js";

type Paint = (style: "red" | "yellow" | "green" | "dim" | "bold", text: string) => string;

/** The text of an answer, newline at the end. */
export function helpText(answer: HelpAnswer, paint: Paint): string {
  const lines = answer.type === "op" ? opLines(answer, paint) : otherLines(answer, paint);
  return `${lines.join("\n")}\n`;
}

function otherLines(answer: Exclude<HelpAnswer, OpAnswer>, paint: Paint): readonly string[] {
  if (answer.type === "directory") return [paint("bold", answer.path), ...itemLines(answer.items, paint)];
  const { error } = answer;
  const first = paint("red", `${error.code} ${error.message}`);
  if (answer.type === "error") return [first];
  const near = answer.suggestions.length > 0 ? [`Did you mean ${answer.suggestions.join(", ")}?`] : [];
  return [first, ...near, ...itemLines(answer.items, paint)];
}

function itemLines(items: DirectoryAnswer["items"], paint: Paint): readonly string[] {
  const rows = items.map((item): readonly [string, string] => {
    if ("group" in item)
      return [item.group, `${item.ops} ops${"summary" in item && item.summary ? `  ${item.summary}` : ""}`];
    if ("summary" in item) return [item.op, `${item.kind.padEnd(5)}  ${item.summary}`];
    return [item.op, item.usage ?? ""];
  });
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${paint("dim", text)}`);
}

function opLines(answer: OpAnswer, paint: Paint): readonly string[] {
  const { args = [], notes = [], policy, examples = [], constraints = [], see_also: also = [] } = answer;
  return [
    `${paint("bold", answer.path)} (${answer.kind}${answer.denied ? ", needs --allow-write" : ""})`,
    answer.description ?? answer.summary ?? "",
    "",
    `  ${answer.usage ?? ""}`,
    ...(args.length > 0 ? ["", paint("bold", "Arguments"), ...argumentLines(args)] : []),
    ...list("Do", policy?.do, paint),
    ...list("Do not", policy?.dont, paint),
    ...list("Edge cases", policy?.edge_cases, paint),
    ...list("Notes", notes, paint),
    ...list("Constraints", constraints, paint),
    ...list(
      "Examples",
      examples.map((one) => JSON.stringify({ op: one.op, args: one.args })),
      paint,
    ),
    ...list("See also", also, paint),
    ...(answer.schema ? ["", paint("bold", "Schema"), JSON.stringify(answer.schema, null, 2)] : []),
  ];
}

const list = (title: string, items: readonly string[] | undefined, paint: Paint): readonly string[] =>
  items && items.length > 0 ? ["", paint("bold", title), ...items.map((one) => `  - ${one}`)] : [];

function argumentLines(args: readonly HelpArgument[]): readonly string[] {
  const names = Math.max(...args.map((one) => one.name.length));
  const types = Math.min(40, Math.max(...args.map((one) => one.type.length)));
  return args.map((one) => {
    const fallback = one.default === undefined ? "" : `  = ${JSON.stringify(one.default)}`;
    const about = one.description === undefined ? "" : `  ${one.description}`;
    return `  ${one.name.padEnd(names)} ${one.required ? "*" : " "} ${one.type.padEnd(types)}${fallback}${about}`;
  });
}
