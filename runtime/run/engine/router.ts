/** Chooses the engine of a run from its facts, and runs code again on CPython where Monty turns out to lack something. */

import type { SyntaxFacts } from "../facts.js";
import type { Engine, RunOutcome, RunRequest } from "./engine.js";

/** `engine:` of the configuration, and `--engine`. */
export type EngineSetting = "auto" | "monty" | "cpython";

/** What the router chooses from. */
export interface RouterParts {
  readonly monty: Engine;
  readonly cpython: Engine;
  readonly setting: EngineSetting;
  /** Whether CPython can parse this; without it a syntax error of Monty is confirmed by a run. */
  compiles?(code: string): Promise<boolean>;
}

/** Runs code on the engine that fits. */
export interface Router {
  choose(facts: SyntaxFacts): Engine["id"];
  run(request: RunRequest, facts: SyntaxFacts): Promise<RunOutcome>;
}

type Failed = Extract<RunOutcome, { readonly ok: false }>;

/** Why a failure on Monty says nothing about the code, while no tool was called. */
const AGAIN: readonly ((failed: Failed, facts: SyntaxFacts) => boolean)[] = [
  ({ kind }) => kind === "unsupported",
  // Monty does not find a variable of the module that is bound below the function that reads it.
  ({ kind, pyType, message }, { bound }) =>
    kind === "runtime" && pyType === "NameError" && bound.has(/^name '(.+)' is not defined$/.exec(message)?.[1] ?? ""),
];

/** A router over two engines. */
export function createRouter(parts: RouterParts): Router {
  const { monty, cpython, setting } = parts;
  const choose = (facts: SyntaxFacts): Engine["id"] => {
    if (setting !== "auto") return setting;
    return monty.supports(facts) === true ? "monty" : "cpython";
  };
  const run = async (request: RunRequest, facts: SyntaxFacts): Promise<RunOutcome> => {
    if (choose(facts) === "cpython") return cpython.run(request);
    if (setting === "monty") return refused(monty, facts) ?? monty.run(request);
    const held: string[] = [];
    const outcome = await monty.run({ ...request, onPrint: (text) => void held.push(text) });
    if (!outcome.ok && outcome.stats.hostCalls === 0 && (await isWorthAnother(outcome, request, facts, parts)))
      return cpython.run(request);
    for (const text of held) request.onPrint(text);
    return outcome;
  };
  return { choose, run };
}

async function isWorthAnother(failed: Failed, request: RunRequest, facts: SyntaxFacts, parts: RouterParts) {
  if (request.signal?.aborted) return false;
  if (failed.kind !== "syntax") return AGAIN.some((rule) => rule(failed, facts));
  return parts.compiles ? parts.compiles(request.code) : facts.parsed;
}

/** With one engine only, code that it would take otherwise than Python does not start. */
function refused(engine: Engine, facts: SyntaxFacts): RunOutcome | undefined {
  const lack = engine.supports(facts);
  if (lack === true) return undefined;
  const stats = { engine: engine.id, wallMs: 0, cpuMs: 0, hostCalls: 0, printedBytes: 0 };
  const { feature, line } = lack;
  const message = `${feature} is not available here`;
  return { ok: false, kind: "unsupported", pyType: "NotImplementedError", message, feature, line, stats };
}
