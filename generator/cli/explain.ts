/** Implements `toolwright explain NAME`: why an op has its path, kind, policy and signature. */

import { closest } from "../../runtime/contract/closest.js";
import { isLocked, learnedFrom } from "../../runtime/contract/known-result.js";
import { normalizeLearned } from "../../runtime/contract/normal-schema.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { readableSignature } from "../../runtime/contract/signature-text.js";
import type { OpDraft } from "../core/ir.js";
import { sourceHash } from "../pass/policy.js";
import { readableType } from "../pass/signature.js";
import type { Build } from "../pipeline.js";

/** The decisions behind one tool. */
export interface Explanation {
  readonly op: string;
  readonly tool: string;
  readonly file: string;
  readonly because: readonly string[];
  readonly policy: string;
  /** Where the type of its results comes from. */
  readonly returns: string;
  /** What a learned type lacks to be locked, or a type to be learned; absent if nothing is known. */
  readonly lacks?: readonly string[];
  /** Words by which callers look for it; absent if none are known. */
  readonly words?: string;
  readonly signature?: Tool["signature"];
  readonly tokens?: Tool["tokens"];
}

/** What features say of an op. */
export type ExplainOp = (tool: Tool | undefined) => Pick<Explanation, "lacks" | "words">;

/** Result of `explain`: explanations (a tool name may name several ops), or the nearest names. */
export type Explained =
  | { readonly found: true; readonly explanations: readonly Explanation[] }
  | { readonly found: false; readonly nearest: string | undefined };

/**
 * Looks a name up among ops, tool names and op aliases.
 *
 * @param more what features say of an op; default: nothing
 */
export function explain(name: string, { drafts, registry }: Build, more: ExplainOp = () => ({})): Explained {
  const hits = drafts.filter((one) => one.op === name || one.name === name || one.aliases.includes(name));
  if (hits.length > 0) return { found: true, explanations: hits.map((one) => explanationOf(one, registry, more)) };
  return {
    found: false,
    nearest: closest(
      name,
      drafts.flatMap((one) => [one.op, one.name, ...one.aliases]),
    ),
  };
}

function explanationOf(draft: OpDraft, registry: Registry | undefined, more: ExplainOp): Explanation {
  const tool = registry?.tools.find((one) => one.op === draft.op);
  const { file, line, column } = draft.place;
  const project = draft.project_from === undefined ? "" : `, project from ${draft.project_from}`;
  return {
    op: draft.op,
    tool: draft.name,
    file: `${file}:${line}:${column}`,
    because: [
      ...draft.because,
      `access ${draft.access}, target ${draft.target}${project}`,
      `entity ${draft.entity ?? "none"}, action ${draft.action}`,
    ],
    policy: policyText(draft, tool),
    returns: returnsText(tool),
    ...more(tool),
    ...(tool ? { signature: { ...tool.signature, python: readableSignature(tool) }, tokens: tool.tokens } : {}),
  };
}

function returnsText({ result_schema, learned_result: learned }: Partial<Tool> = {}): string {
  if (result_schema) return "declared by its source";
  if (!learned)
    return 'unknown: nothing is declared or learned; "toolwright learn" learns it from calls, or says why it cannot';
  const { level, stale, schema, pinned } = learned;
  const advice = stale
    ? "learn it again, since the input of the op has changed"
    : level === "locked"
      ? "programs are checked against it"
      : 'a hint: "toolwright learn" says what it lacks to be locked';
  const type = isLocked(learned) ? "" : `; so far ${readableType(normalizeLearned(schema))}`;
  const news = pinned ? ' in definitions/learned ("pinned")' : ` (new in ${learned.news} of them)`;
  return `${learnedFrom(learned)}${news}: ${advice}${type}`;
}

function policyText(draft: OpDraft, tool: Tool | undefined): string {
  const { policy } = tool ?? {};
  if (!policy) return "none: the description has too few rules for one";
  const count = policy.do.length + policy.dont.length + policy.edge_cases.length;
  if (policy.source.length === 0)
    return `${count} rules, pinned in toolwright.yaml (description hash ${sourceHash(draft.description)})`;
  const lines = policy.source.map((one) => `${one.rule} from line ${one.line_start}`);
  return `${count} rules, extracted: ${lines.join(", ")}`;
}
