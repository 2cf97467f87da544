/** Finds the op that a caller means. */

import { withGrant } from "../access/caller-tokens.js";
import { topDirectory } from "../catalog/directory.js";
import { spelledOp, withoutEnds } from "../catalog/op-words.js";
import { helpPath, namesakesOf, type RegistryView } from "../catalog/registry.js";
import { MAX_SUGGESTIONS, suggest } from "../catalog/search.js";
import { echo } from "../contract/error-body.js";
import { GATEWAY_TOOLS, type GatewayToolName, gatewayTool } from "../contract/gateway-tools.js";
import { grantFor } from "../contract/grant.js";
import { placeholder } from "../contract/placeholder.js";
import type { Tool } from "../contract/registry.js";
import { type ReadCall, type ResolvedCall, refuse } from "./call.js";
import { asksForHelp, textsIn } from "./corrections/read-call.js";

/** Characters of an op that are searched for a known op. */
const MAX_OP_LENGTH = 10_000;

/** A name whose words can be searched for: `custom_secret`. */
const PLAIN_NAME = /^[\p{L}\p{N}_-]{1,100}$/u;

/** An op, and a warning about the repair that found it. */
interface Found {
  readonly tool: Tool;
  readonly warning?: string;
}

type Reading = (view: RegistryView, op: string) => Found | undefined;

/** In this order: the op without its wrapping, an alias, the op's words with other separators, the only op inside markup. */
const READINGS: readonly Reading[] = [sanitized, alias, bySpelling, inMarkup];

/**
 * The op that `op` means among those the caller may see, or undefined. The exact name of a tool is never read as another one, so a
 * name that several tools share means none; nor is the name of a gateway tool.
 */
export function findOp(view: RegistryView, op: string): Found | undefined {
  const tool = view.exact(op);
  if (tool) return { tool };
  if (view.isName(op)) return alias(view, op);
  if (namedGatewayTool(view, op) !== undefined) return undefined;
  for (const reading of READINGS) {
    const found = reading(view, op);
    if (found) return found;
  }
  return undefined;
}

/**
 * Resolves the op.
 *
 * @throws CallError NOT_FOUND with suggestions; the same for an op that does not exist and one that may not be seen
 */
export function resolveOp(call: ReadCall): ResolvedCall {
  const { view } = call;
  const { op } = call.envelope;
  const found = findOp(view, op);
  if (!found) return refuseOp(call);
  if (found.warning !== undefined) call.warnings.push(found.warning);
  const principal = withGrant(call.principal, grantFor(found.tool, call.principal.grant));
  return { ...call, principal, tool: found.tool, helpPath: helpPath(view, found.tool.op) };
}

function refuseOp(call: ReadCall): never {
  const { view, services } = call;
  const { op } = call.envelope;
  const clean = unwrapped(op);
  const namesakes = namesakesOf(view, view.isName(op) ? op : clean);
  const own = services.ownWords?.(call.principal);
  const near = suggest(view, clean, { groups: false, project: services.project, own });
  const suggestions = [...new Set([...namesakes, ...near])].slice(0, MAX_SUGGESTIONS);
  const items = suggestions.length === 0 ? { search: searchCall(view, clean), items: topDirectory(view) } : {};
  const known = { ...call, helpPath: helpPath(view, clean) };
  if (asksForHelp(op)) return refuseHelp(call);
  if (namedGatewayTool(view, op)) return refuse(known, "NOT_FOUND", noOp(call), { suggestions: [] });
  const message = namesakes.length > 1 ? `${echo(op)} may mean several ops: call one by its path.` : noOp(call);
  return refuse(known, "NOT_FOUND", message, { suggestions, ...items });
}

/** The name of the gateway tool that a text names, if it names no op. */
export const namedGatewayTool = (view: RegistryView, text: string): GatewayToolName | undefined =>
  view.isName(unwrapped(text)) ? undefined : gatewayTool(unwrapped(text), GATEWAY_TOOLS)?.name;

/** Says that there is no such op, and how a gateway tool is called that was taken for one. */
function noOp({ view, envelope: { op } }: ReadCall): string {
  const tool = namedGatewayTool(view, op);
  if (tool === undefined) return `No op ${echo(op)}.`;
  return `${tool} is a tool of its own, not an op: call it with its own arguments.`;
}

/** The call that searches: for the words of a plain name, or for words of the caller, in the pack of a path if there is one. */
function searchCall(view: RegistryView, op: string): string {
  const [first = ""] = op.split(".");
  const path = PLAIN_NAME.test(op) ? op : `${view.prefix(first) ?? ""} ${placeholder("words")}`.trim();
  return `tool_help ${JSON.stringify({ path })}`;
}

/** Refuses a request of help that was sent as a call, and says how to send it. */
function refuseHelp(call: ReadCall): never {
  const { view } = call;
  const texts = textsIn(call.request);
  const ops = texts.flatMap((text) => findOp(view, text)?.tool.op ?? []).filter((op) => view.isListed(op));
  const [path = "root"] = [...ops, ...texts.flatMap((text) => view.prefix(text) || [])];
  const message = `${noOp(call)} To read about an op, call tool_help with ${JSON.stringify({ path })}.`;
  return refuse({ ...call, helpPath: path }, "NOT_FOUND", message, { suggestions: ops.slice(0, 1) });
}

function sanitized(view: RegistryView, op: string): Found | undefined {
  const tool = view.exact(unwrapped(op)) ?? view.folded(unwrapped(op));
  return tool && { tool, warning: `op_sanitized: read as ${tool.op}` };
}

function alias(view: RegistryView, op: string): Found | undefined {
  const name = view.isName(op) ? op : unwrapped(op);
  const named = view.named(name);
  const [tool] = named;
  return tool && named.length === 1 ? { tool, warning: `op_alias: ${name} stands for ${tool.op}` } : undefined;
}

function bySpelling(view: RegistryView, op: string): Found | undefined {
  const tool = isNegated(op) ? undefined : spelledOp(view, op);
  return tool && { tool, warning: `op_sanitized: read as ${tool.op}` };
}

/** Words around an op that say only that it is one. Any other text may say what the call is to do: `--dry-run`, `(limit=5)`, `don't`. */
const MARKUP: ReadonlySet<string> = new Set(
  "tool_call tool_calls tool_use tool_name tool_exec tool_batch function_call function functions function_name tool tools op call invoke name parameter commentary json".split(
    " ",
  ),
);

/** `functions.tool_exec` is markup, too. */
const isMarkup = (word: string): boolean =>
  word
    .toLowerCase()
    .split(".")
    .every((part) => MARKUP.has(part));

function inMarkup(view: RegistryView, op: string): Found | undefined {
  if (isNegated(op)) return undefined;
  const words = op
    .slice(0, MAX_OP_LENGTH)
    .replace(/<[^<>]{0,200}>/g, " ")
    .split(/[^\p{L}\p{N}_.-]+/u);
  const opAt = (word: string): Tool | undefined => view.exact(unwrapped(word)) ?? view.folded(unwrapped(word));
  const tools = new Set(words.filter((word) => word !== "" && !isMarkup(word)).map(opAt));
  const [tool] = tools;
  return tool && tools.size === 1 ? { tool, warning: `op_sanitized: read as ${tool.op}` } : undefined;
}

/** Whether a text begins with a sign that turns its meaning around, or is a question: `onto.task.delete?`. */
export const isNegated = (op: string): boolean => /^\s*[!~^-]|\?\s*$/.test(op);

/** Strips surrounding spaces, quotes and dots. */
const unwrapped = (op: string): string => withoutEnds(op.slice(0, MAX_OP_LENGTH), /[\s"'`.]/);
