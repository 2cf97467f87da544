/** Chooses the engine of a run from its facts, and runs code again on CPython where Monty turns out to lack something. */

import type { SyntaxFacts } from "../facts.js";
import { textRepr } from "../python-text.js";
import { lineText } from "../python-tree.js";
import type { CodeDiagnostic, Engine, HostError, RunOutcome, RunRequest } from "./engine.js";
import { packAt } from "./monty-packs.js";
import { type Recording, recording } from "./replay.js";

/** `engine:` of the configuration, and `--engine`. */
export type EngineSetting = "auto" | "monty" | "cpython";

/** What the router chooses from. */
export interface RouterParts {
  readonly monty: Engine;
  readonly cpython: Engine;
  readonly setting: EngineSetting;
  /** What CPython's parser says against code, if it does; without it a syntax error of Monty is confirmed by a run. */
  fault?(code: string): Promise<CodeDiagnostic | undefined>;
}

/** Runs code on the engine that fits. */
export interface Router {
  choose(facts: SyntaxFacts): Engine["id"];
  run(request: RunRequest, facts: SyntaxFacts): Promise<RunOutcome>;
}

type Failed = Extract<RunOutcome, { readonly ok: false }>;

/** What Monty says in Python's own words, wherever it comes from. */
const PLAIN: readonly RegExp[] = [/^ZeroDivisionError: division by zero$/, /^RecursionError: /];

const MEMBER = /^'([\w.]+)' object has no attribute '/;
const UNDEFINED = /^name '(.+)' is not defined$/;

/** Whether a failure on Monty is Python's as well, as far as can be known: raised by the code itself, by a tool, or for a name that nobody has. */
function isCertain(
  { pyType, message, line }: Failed,
  { code, namespace }: RunRequest,
  { bound }: SyntaxFacts,
  raised: HostError | undefined,
) {
  if (raised?.pyType === pyType && (raised.message === message || textRepr(raised.message) === message)) return true;
  // A pack is known to the host, which words this for both engines.
  if (pyType === "AttributeError" && packAt(namespace.packs, (MEMBER.exec(message)?.[1] ?? "").split("."))) return true;
  // Monty does not find a variable of the module that is bound below the function that reads it.
  if (pyType === "NameError") return !bound.has(UNDEFINED.exec(message)?.[1] ?? "");
  if (PLAIN.some((pattern) => pattern.test(`${pyType}: ${message}`))) return true;
  const statement = line === undefined ? "" : (lineText(code, line)?.trim() ?? "");
  return pyType !== "KeyError" && new RegExp(`^raise ${pyType.replace(/\W/g, "")}\\(`).test(statement);
}

/** A router over two engines. */
export function createRouter(parts: RouterParts): Router {
  const { monty, cpython, setting } = parts;
  const choose = (facts: SyntaxFacts): Engine["id"] => {
    if (setting !== "auto") return setting;
    return monty.supports(facts) === true ? "monty" : "cpython";
  };
  const run = async (request: RunRequest, facts: SyntaxFacts): Promise<RunOutcome> => {
    if (choose(facts) === "cpython") return cpython.run(request);
    if (setting === "monty") {
      if (!facts.parsed) return unparsed(monty, request);
      return refused(monty, facts) ?? monty.run(withChecks(request, facts));
    }
    if (facts.parsed || !parts.fault) return onMonty(request, facts, parts);
    // The tree says little of what its parser does not know, and Monty may take it for something else.
    const fault = await parts.fault(request.code);
    if (!fault) return cpython.run(request);
    const outcome = await onMonty(request, facts, parts);
    return !outcome.ok && outcome.kind === "syntax" ? { ...outcome, ...fault } : outcome;
  };
  return { choose, run };
}

const withChecks = (request: RunRequest, { checked }: SyntaxFacts): RunRequest =>
  checked ? { ...request, checked: checked() } : request;

/** A run on Monty, and one on CPython where Monty's failure may not be Python's. */
async function onMonty(request: RunRequest, facts: SyntaxFacts, { monty, cpython }: RouterParts): Promise<RunOutcome> {
  const held: string[] = [];
  const first = recording(request);
  const { namespace } = first;
  try {
    const outcome = await monty.run({
      ...withChecks(request, facts),
      namespace,
      onPrint: (text) => void held.push(text),
    });
    if (!outcome.ok && isWorthAnother(outcome, request, facts, first)) {
      const second = await repeated(first, cpython);
      if (second) return second(request);
    }
    for (const text of held) request.onPrint(text);
    return outcome;
  } finally {
    first.close();
  }
}

/** The run on CPython, as something that gives its output and its outcome; nothing where it called other tools than the first one did. */
async function repeated(first: Recording, cpython: Engine): Promise<((request: RunRequest) => RunOutcome) | undefined> {
  const { request, isOther } = first.again();
  const held: string[] = [];
  const outcome = await cpython.run({ ...request, onPrint: (text) => void held.push(text) });
  if (isOther()) return undefined;
  return ({ onPrint }) => {
    for (const text of held) onPrint(text);
    return outcome;
  };
}

function isWorthAnother(failed: Failed, request: RunRequest, facts: SyntaxFacts, first: Recording): boolean {
  if (request.signal?.aborted) return false;
  if (failed.kind === "syntax") return facts.parsed;
  // Its child was killed because of another run, or by somebody: a process of its own harms nobody.
  if (failed.kind === "unsupported" || failed.kind === "crashed") return true;
  return failed.kind === "runtime" && !isCertain(failed, request, facts, first.lastFault());
}

/**
 * With Monty only, code that our parser does not know: the syntax error of Monty, or a refusal, since the value of such code would be lost.
 * A `return` before the code has Monty read it all and run nothing.
 */
async function unparsed(monty: Engine, request: RunRequest): Promise<RunOutcome> {
  const code = `return None\n${request.code}`;
  const outcome = await monty.run({ ...request, code, checked: code });
  if (outcome.ok) {
    const message = "this syntax is not available here";
    return { ok: false, kind: "unsupported", pyType: "NotImplementedError", message, stats: outcome.stats };
  }
  return outcome.line === undefined ? outcome : { ...outcome, line: Math.max(1, outcome.line - 1) };
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
