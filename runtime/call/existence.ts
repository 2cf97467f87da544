/** For a dry run: reads whether what a write is about exists, by the op that the configuration names, or that reads the entity. */

import type { RegistryView } from "../catalog/registry.js";
import { fail } from "../contract/handler.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import type { ReadyCall } from "./call.js";

/** A read that tells whether something exists. */
interface ExistenceCheck {
  readonly op: string;
  readonly args: JsonObject;
}

/**
 * Makes the read, if there is one.
 *
 * @returns what the result of the dry run says of it
 * @throws ToolFailure NOT_FOUND, as the call itself would
 */
export async function checkExistence(call: ReadyCall): Promise<{ readonly checked?: string }> {
  const { services, view, tool, completeArgs, principal, limit, warnings } = call;
  const check = checkOf(view, tool, completeArgs, services.project.settings.ops.get(tool.op)?.check);
  if (!check) {
    if (tool.annotations.destructiveHint) warnings.push(notChecked(`no op reads it for ${tool.op}`));
    return {};
  }
  const envelope = await limit.race(() => services.read({ ...check }, principal, call.span), "none");
  if (envelope.ok) return { checked: check.op };
  const { code, message, details } = envelope.error;
  if (code === "NOT_FOUND") fail(code, message, details);
  warnings.push(notChecked(`${check.op} answered ${code}`));
  return {};
}

const notChecked = (why: string): string => `existence_not_checked: whether it exists was not read, ${why}`;

function checkOf(
  view: RegistryView,
  tool: Tool,
  args: JsonObject,
  named: string | undefined,
): ExistenceCheck | undefined {
  const reads = [named === undefined ? readOf(view, tool) : view.exact(named)];
  const [read] = reads.filter((one) => one?.kind === "read");
  if (!read) return undefined;
  const names = read.parameters.flatMap(({ original, required }) => (required ? [original] : []));
  const given = names.filter((name) => Object.hasOwn(args, name));
  if (given.length < names.length || (given.length === 0 && named === undefined)) return undefined;
  return { op: read.op, args: Object.fromEntries(given.map((name) => [name, args[name] ?? null])) };
}

/** The op that gets the entity of another op, or what is at the same address. */
function readOf(view: RegistryView, { op, request }: Tool): Tool | undefined {
  const getter = view.exact(`${op.slice(0, op.lastIndexOf(".") + 1)}get`);
  if (getter || !request) return getter;
  const address = `GET ${request.send.replace(/^\S+ /, "")}`;
  return /^(?:DELETE|PUT|PATCH) /.test(request.send)
    ? view.listed.find((one) => one.request?.send === address && !one.request.body)
    : undefined;
}
