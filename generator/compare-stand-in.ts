/** STAND-IN for `compareTools` of `breaking/compare.ts`, until that lands: says which tools changed, not in what. */

import { digest, type Finding, type Tool } from "toolwright/codegen";

const FINGERPRINT_DIGITS = 12;

/** Every tool that was added, removed or changed, by digest. */
export function compareTools(before: readonly Tool[], after: readonly Tool[]): readonly Finding[] {
  const now = new Map(after.map((one) => [one.op, one]));
  const then = new Map(before.map((one) => [one.op, one]));
  return [
    ...before.flatMap((one) => {
      const other = now.get(one.op);
      if (!other) return [finding("tool-removed", "error", one, one.tool_name, "")];
      const [a, b] = [meaningOf(one), meaningOf(other)];
      return a === b ? [] : [finding("tool-changed", "warning", other, a, b)];
    }),
    ...after.filter((one) => !then.has(one.op)).map((one) => finding("tool-added", "info", one, "", one.tool_name)),
  ];
}

function meaningOf({ source, tokens, digest: _, ...rest }: Tool): string {
  return digest(rest);
}

const VERBS = { "tool-removed": "is gone", "tool-changed": "changed", "tool-added": "is new" } as const;

function finding(
  rule: keyof typeof VERBS,
  level: Finding["level"],
  { op, tool_name: tool, source }: Tool,
  before: string,
  after: string,
): Finding {
  const pointer = "";
  const fingerprint = digest([rule, op, pointer, before, after]).slice(0, FINGERPRINT_DIGITS);
  const place = { file: source.file, line: 0, column: 0 };
  const message = `the tool ${tool} ${VERBS[rule]}`;
  return { rule, level, surface: ["op"], op, tool, pointer, before, after, message, ...place, fingerprint };
}
