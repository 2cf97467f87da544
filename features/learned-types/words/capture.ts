/**
 * Learns how callers call an op: the words of the latest query for help are credited to the first op that is called with
 * success after it. Only words are kept, never a query. It never fails a call, and never delays one.
 */

import type { Dispatch } from "../../../runtime/call/call.js";
import type { Help } from "../../../runtime/catalog/help.js";
import type { HelpAnswer } from "../../../runtime/catalog/help-answers.js";
import { rememberNewest } from "../../../runtime/catalog/session.js";
import type { Envelope } from "../../../runtime/contract/error-body.js";
import type { Principal } from "../../../runtime/contract/handler.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { asRequest } from "../../../runtime/contract/request-fields.js";
import type { LearnSettings } from "../learn-settings.js";
import { saysError } from "../observed.js";
import { countedWords } from "./counted-words.js";

/** A query for help that no successful call has followed yet. */
interface OpenQuery {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  calls: number;
}

/** Takes the words that a query and the call after it have shown. */
type TakeWords = (caller: string, tool: Tool, stems: readonly string[]) => void;

/** What is wrapped. */
interface Watched {
  readonly dispatch: Dispatch;
  readonly help: Help;
}

/** Callers whose latest query is in memory. */
const MAX_CALLERS = 1000;
/** How long after a query, and how many calls after it, an op is credited. */
const MAX_WAIT_MS = 600_000;
const MAX_CALLS = 8;

/** Fields of `tool_help` that may hold words. */
const WORD_FIELDS = ["path", "query", "q"] as const;
const OT_HELP = "ot.help";
const isOfOt = (op: string): boolean => op.startsWith("ot.");

/**
 * The same dispatch and help; words of queries are taken for the ops that `learnedWords` names. A caller is a
 * session: over HTTP there is no other, and a process on stdio has one caller.
 */
export function withWords(
  { dispatch, help }: Watched,
  { learnedWords }: Pick<LearnSettings, "learnedWords">,
  { take, clock }: { readonly take: TakeWords; readonly clock: () => number },
): Watched {
  const open = new Map<string, OpenQuery>();
  const asked = ({ id }: Principal, text: string): void =>
    rememberNewest(open, id, { text, at: clock(), calls: 0 }, MAX_CALLERS);
  const credit = (query: OpenQuery, principal: Principal, request: unknown, envelope: Envelope): void => {
    const isLate = ++query.calls > MAX_CALLS || clock() - query.at > MAX_WAIT_MS;
    const isOver = isLate || (envelope.ok && !envelope.meta.replayed && !saysError(envelope.result));
    // A later query may be open meanwhile.
    if (!isOver || open.get(principal.id) !== query) return;
    open.delete(principal.id);
    const tool = dispatch.index.view(principal.grant).exact(envelope.meta.executed_op ?? envelope.op);
    if (isLate || !tool || !learnedWords.has(tool.op)) return;
    const stems = countedWords(query.text, tool, asRequest(request));
    if (stems.length > 0) take(principal.id, tool, stems);
  };
  return {
    help: {
      help(request, principal, session) {
        const answer = help.help(request, principal, session);
        const words = wordsOf(request, answer);
        if (words !== undefined) asked(principal, words);
        return answer;
      },
    },
    dispatch: {
      ...dispatch,
      async dispatch(request, principal, options) {
        const before = open.get(principal.id);
        const envelope = await dispatch.dispatch(request, principal, options);
        if (options?.run?.preview) return envelope;
        const op = envelope.meta.executed_op ?? envelope.op;
        if (op === OT_HELP && envelope.ok) {
          const words = queryOf(request, dispatch, principal);
          if (words !== undefined) asked(principal, words);
        } else if (before && !isOfOt(op)) credit(before, principal, request, envelope);
        return envelope;
      },
    },
  };
}

/** The words of a request for help; undefined if it names an op or a group. */
function wordsOf(request: unknown, answer: HelpAnswer): string | undefined {
  const { type, requested_path } = answer as { readonly type: string; readonly requested_path?: string };
  if (type === "directory" || type === "error" || (type === "op" && requested_path === undefined)) return undefined;
  const fields = asRequest(request) ?? {};
  const texts = WORD_FIELDS.map((field) => fields[field]).filter((value) => typeof value === "string");
  return texts.filter((text) => text !== "root").join(" ");
}

/** The query of `ot.help`; undefined if it names an op, a group or a snippet. */
function queryOf(request: unknown, dispatch: Dispatch, { grant }: Principal): string | undefined {
  const args = asRequest(request)?.["args"];
  const query = asRequest(args)?.["query"];
  if (typeof query !== "string") return undefined;
  const view = dispatch.index.view(grant);
  const text = query.trim();
  const isNamed = view.exact(text) || view.isName(text) || view.prefix(text) !== undefined || text.startsWith("$");
  return text === "" || isNamed ? undefined : text;
}
