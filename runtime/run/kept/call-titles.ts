/** Titles of what calls are about, which a person knows better than ids: from the op that reads it, as the caller may read it. */

import type { Dispatch } from "../../call/call.js";
import { entityRead } from "../../call/entity-read.js";
import type { Settings } from "../../config/settings.js";
import type { Principal } from "../../contract/handler.js";
import { isObject, own } from "../../contract/json.js";
import { visibleText } from "../../contract/message-text.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import { clip } from "../../contract/scrub.js";
import { redactedText } from "../sanitize.js";
import { callPlace } from "./places.js";

/** Most titles that are read for one pause, how long one read may take, and the longest title, in characters. */
const MAX_TITLES = 10;
const READ_MS = 1000;
const MAX_LENGTH = 80;

/** A call about which somebody is asked. */
export interface TitledCall {
  /** Its key, which ends in its place. */
  readonly key: string;
  readonly op: string;
  readonly args: JsonObject;
}

/** A call that reads. */
type Read = Pick<TitledCall, "op" | "args">;

/**
 * The titles of what calls are about, by their places in the run; calls without a title are left out.
 *
 * @param ops settings of ops, which may name the op that reads
 */
export async function callTitles(
  calls: readonly TitledCall[],
  dispatch: Pick<Dispatch, "dispatch" | "index">,
  principal: Principal,
  ops: Settings["ops"],
): Promise<ReadonlyMap<string, string>> {
  const view = dispatch.index.view(principal.grant);
  const reads = calls.flatMap((call) => {
    const read = readOf(call, view, ops);
    return read ? [{ place: callPlace(call), read }] : [];
  });
  const titles = await Promise.all(
    reads.slice(0, MAX_TITLES).map(async ({ place, read }) => {
      const envelope = await dispatch.dispatch(read, principal, { isProgram: true, limitMs: READ_MS });
      const title = envelope.ok ? titleIn(envelope.result) : undefined;
      return title === undefined ? [] : [[place, title] as const];
    }),
  );
  return new Map(titles.flat());
}

/** The call that reads what a call is about; undefined if it reads only what that is below. */
function readOf(
  { op, args }: Read,
  view: ReturnType<Dispatch["index"]["view"]>,
  ops: Settings["ops"],
): Read | undefined {
  const tool = view.exact(op);
  const read = tool && entityRead(view, tool, args, ops.get(op)?.check);
  return read?.unread.length === 0 ? { op: read.op, args: read.args } : undefined;
}

const NAMES = ["title", "name", "subject", "label", "summary"];

/** The title in an answer, or in a member of it. */
function titleIn(result: JsonValue): string | undefined {
  if (!isObject(result)) return undefined;
  const parts = [result, ...Object.values(result).filter(isObject)];
  const [title] = parts.flatMap((part) =>
    NAMES.map((name) => own(part, name)).filter((one) => typeof one === "string"),
  );
  return title === undefined || title.trim() === ""
    ? undefined
    : visibleText(redactedText(clip(title, MAX_LENGTH))).replaceAll('"', "'");
}
