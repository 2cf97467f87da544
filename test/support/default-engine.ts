/** Replies of the default engine as `run` gives them, with the engine that gave each. */

import type { Engine } from "../../runtime/run/engine/engine.js";
import { createMonty } from "../../runtime/run/engine/monty.js";
import { createRouter } from "../../runtime/run/engine/router.js";
import { formatValue, joinReply } from "../../runtime/run/format.js";
import { rewrite } from "../../runtime/run/rewrite.js";
import { LIMITS, namespaceOf, requestOf } from "./run-engine.js";

/** What the default engine made of a piece of code. */
export interface Reply {
  /** Monty gave the reply; `cpython`: the code was left to CPython, at once or for a second run; `limit`: a limit ended it. */
  readonly by: "monty" | "cpython" | "limit";
  /** The reply, or what was printed and the exception: empty where Monty gave none. */
  readonly text: string;
  /** Why CPython was chosen, before the start or after it. */
  readonly feature?: string;
}

const NAMES = { aliases: new Map(), packs: new Set<string>(), bare: new Map() };

/** Stands for CPython: it takes any code and does nothing. */
const elsewhere: Engine = {
  id: "cpython",
  supports: () => true,
  run: async () => ({
    ...{ ok: false, kind: "crashed", pyType: "Elsewhere", message: "" },
    stats: { engine: "cpython", wallMs: 0, cpuMs: 0, hostCalls: 0, printedBytes: 0 },
  }),
  dispose: async () => undefined,
};

/** Runs each piece of code by the router, with Monty alone behind it. */
export async function defaultReplies(codes: readonly string[]): Promise<readonly Reply[]> {
  const engine = createMonty({ children: 1 });
  let ended = "";
  const monty: Engine = {
    ...engine,
    run: async (request) => {
      const outcome = await engine.run(request);
      ended = outcome.ok ? "" : `${outcome.pyType}: ${outcome.message}`;
      return outcome;
    },
  };
  const router = createRouter({ monty, cpython: elsewhere, setting: "auto", fault: async () => undefined });
  const replyTo = async (code: string): Promise<Reply> => {
    const { code: rewritten, facts } = rewrite(code, NAMES);
    const lack = monty.supports(facts);
    if (lack !== true) return { by: "cpython", text: "", feature: lack.feature };
    const request = requestOf(rewritten, namespaceOf({}));
    const outcome = await router.run(request, facts);
    if (!outcome.ok && outcome.pyType === "Elsewhere") return { by: "cpython", text: "", feature: `after ${ended}` };
    if (!outcome.ok && ["memory", "timeout", "output"].includes(outcome.kind)) return { by: "limit", text: "" };
    if (!outcome.ok) return { by: "monty", text: `${request.printed()}${outcome.pyType}: ${outcome.message}` };
    const value = await formatValue(outcome, { depth: LIMITS.resultDepth, isOt: false });
    return { by: "monty", text: joinReply(request.printed(), value) };
  };
  try {
    const replies: Reply[] = [];
    for (const code of codes) replies.push(await replyTo(code));
    return replies;
  } finally {
    await monty.dispose();
  }
}
