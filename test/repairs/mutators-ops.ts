/** Mistakes in the op: separators, wrappers, letter case, synonyms, typing. */

import type { JsonObject } from "toolwright/codegen";
import type { Tool } from "../../runtime/contract/registry.js";
import { type Call, type Mutator, pick } from "./model.js";

const withOp =
  (change: (op: string, tool: Tool, random: () => number) => string | undefined): Mutator["mutate"] =>
  (call, tool, random) => {
    const op = change(call.op, tool, random);
    return op === undefined || op === call.op ? undefined : ({ ...call, op } as unknown as JsonObject);
  };

const mutator = (name: string, change: Parameters<typeof withOp>[0]): Mutator => ({ name, mutate: withOp(change) });

const lossy = (name: string, mutate: (call: Call) => JsonObject | undefined): Mutator => ({
  name,
  isLossy: true,
  mutate: (call) => mutate(call),
});

const camel = (op: string): string => op.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
const pascal = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** What people and models say for a verb. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  delete: ["remove", "destroy", "erase"],
  create: ["add", "new", "make"],
  update: ["edit", "modify", "change"],
  search: ["find", "lookup"],
  get: ["show", "fetch", "read", "view"],
  list: ["all", "index"],
};

/** `onto.task.delete` → `onto.task.remove`; undefined if the verb has no synonym, or the result is a real op. */
function synonym(op: string, random: () => number): string | undefined {
  const verb = Object.keys(VERBS).find((one) => new RegExp(`(?:^|[._])${one}(?:$|[._])`).test(op));
  const other = verb === undefined ? undefined : pick(VERBS[verb] ?? [], random);
  return other === undefined || verb === undefined
    ? undefined
    : op.replace(new RegExp(`\\b${verb}\\b|(?<=_)${verb}(?=_|$)|(?<=\\.)${verb}(?=_)`), other);
}

/** Drops or swaps one letter inside the last word of at least five letters. */
function mistyped(op: string, random: () => number): string | undefined {
  const words = [...op.matchAll(/[a-z]{5,}/g)];
  const word = words.at(-1);
  if (!word) return undefined;
  const at = word.index + 1 + Math.floor(random() * (word[0].length - 3));
  const isSwap = random() < 0.5 && op[at] !== op[at + 1];
  return isSwap ? op.slice(0, at) + op[at + 1] + op[at] + op.slice(at + 2) : op.slice(0, at) + op.slice(at + 1);
}

const plural = (word: string): string => (word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`);

/** `onto.task.list` → `list tasks`. */
function words(op: string): string | undefined {
  const segments = op.split(".");
  if (segments.length === 2) return segments[1]?.replaceAll("_", " ");
  const [, entity = "", verb = ""] = segments;
  return segments.length === 3 ? `${verb} ${plural(entity)}` : undefined;
}

export const OP_MUTATORS: readonly Mutator[] = [
  mutator("op with slashes", (op) => op.replaceAll(".", "/")),
  mutator("op with colons", (op) => op.replaceAll(".", ":")),
  mutator("op with underscores", (op) => op.replaceAll(".", "_")),
  mutator("op with dashes", (op) => op.replaceAll(/[._]/g, "-")),
  mutator("functions. before the op", (op) => `functions.${op}`),
  mutator("mcp__ before the op", (op) => `mcp__toolwright__${op.replaceAll(".", "_")}`),
  mutator("op in camelCase", camel),
  mutator("op in PascalCase", (op) => op.split(/[._]/).map(pascal).join("")),
  mutator("op in capitals", (op) => op.toUpperCase()),
  mutator("op in words", words),
  mutator("op with parentheses", (op) => `${op}()`),
  mutator("op in markup", (op) => `<tool_call>${op}</tool_call>`),
  mutator("op without its pack", (op) => op.replace(/^[^.]+\./, "")),
  mutator("the tool's name", (_, tool) => tool.tool_name),
  mutator("op mistyped", (op, _, random) => mistyped(op, random)),
  mutator("verb by a synonym", (op, _, random) => synonym(op, random)),
  lossy("a flag behind the op", ({ op, args, dry_run }) => (dry_run ? { op: `${op} --dry-run`, args } : undefined)),
  lossy("a flag in an address", ({ op, args, dry_run }) => (dry_run ? { op: `${op}?dry_run=true`, args } : undefined)),
  lossy("arguments behind the op", ({ op, args }) =>
    Object.keys(args).length > 0
      ? { op: `${op}(${Object.entries(args).map(([name, one]) => `${name}=${JSON.stringify(one)}`)})` }
      : undefined,
  ),
  lossy("a negated op", ({ op, args }) => ({ op: `don't ${op}`, args })),
];

/** `onto.task.update {state_key: done}` → `onto.task.complete`. */
export const COMPLETE: Mutator = {
  name: "complete in place of update",
  mutate({ op, args, ...rest }: Call) {
    const { state_key, ...others } = args;
    if (state_key !== "done" || !op.endsWith(".update")) return undefined;
    return { op: op.replace(/update$/, "complete"), args: others, ...rest };
  },
};
