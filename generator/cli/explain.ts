/** Implements `toolwright explain NAME`: why an op has its path, kind, policy and signature. */

import { closest } from "../../runtime/contract/closest.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { readableSignature } from "../../runtime/contract/signature-text.js";
import type { Draft } from "../core/ir.js";
import { sourceHash } from "../pass/policy.js";
import type { Build } from "../pipeline.js";

/** The decisions behind one tool. */
export interface Explanation {
  readonly op: string;
  readonly tool: string;
  readonly file: string;
  readonly because: readonly string[];
  readonly policy: string;
  readonly signature?: Tool["signature"];
  readonly tokens?: Tool["tokens"];
}

/** Result of `explain`: explanations (a tool name may name several ops), or the nearest names. */
export type Explained =
  | { readonly found: true; readonly explanations: readonly Explanation[] }
  | { readonly found: false; readonly nearest: string | undefined };

/** Looks a name up among ops, tool names and op aliases. */
export function explain(name: string, { drafts, registry }: Build): Explained {
  const hits = drafts.filter((one) => one.op === name || one.name === name || one.aliases.includes(name));
  if (hits.length > 0) return { found: true, explanations: hits.map((one) => explanationOf(one, registry)) };
  return {
    found: false,
    nearest: closest(
      name,
      drafts.flatMap((one) => [one.op, one.name, ...one.aliases]),
    ),
  };
}

function explanationOf(draft: Draft, registry: Registry | undefined): Explanation {
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
    ...(tool ? { signature: { ...tool.signature, python: readableSignature(tool) }, tokens: tool.tokens } : {}),
  };
}

function policyText(draft: Draft, tool: Tool | undefined): string {
  const { policy } = tool ?? {};
  if (!policy) return "none: the description has too few rules for one";
  const count = policy.do.length + policy.dont.length + policy.edge_cases.length;
  if (policy.source.length === 0)
    return `${count} rules, pinned in toolwright.yaml (description hash ${sourceHash(draft.description)})`;
  const lines = policy.source.map((one) => `${one.rule} from line ${one.line_start}`);
  return `${count} rules, extracted: ${lines.join(", ")}`;
}
