/**
 * Chooses the engine of a run from the facts about its code, and runs code again on CPython if Monty lacks a feature.
 */

import type { EngineSetting } from "../../config/run-settings.js";
import { textRepr } from "../python-text.js";
import { lineText } from "../python-tree.js";
import type { SyntaxFacts } from "../syntax-facts.js";
import type { CodeDiagnostic, Engine, HostError, RunOutcome, RunRequest } from "./engine.js";
import { type Journal, openJournal } from "./journal.js";
import { packAt } from "./monty-packs.js";

/** Dependencies of the router. */
export interface RouterParts {
  readonly monty: Engine;
  readonly cpython: Engine;
  readonly setting: EngineSetting;
  /**
   * The error that CPython's parser reports, if any; without this function a run confirms a syntax error of Monty.
   */
  fault?(request: RunRequest): Promise<CodeDiagnostic | undefined>;
}

/** A run on either engine. */
export interface RoutedRequest extends RunRequest {
  /** Its calls and their answers, of this process and of earlier ones. By default none is kept beyond the run. */
  readonly journal?: Journal;
  /** The engine that began the run; by default the router chooses. */
  readonly engine?: Engine["id"];
}

/** Runs code on the engine that fits. */
export interface Router {
  choose(facts: SyntaxFacts): Engine["id"];
  run(request: RoutedRequest, facts: SyntaxFacts): Promise<RunOutcome>;
}

type Failed = Extract<RunOutcome, { readonly ok: false }>;

/** Errors of Monty that are worded as in Python, whatever raised them. */
const PLAIN: readonly RegExp[] = [/^ZeroDivisionError: division by zero$/, /^RecursionError: /];

const MEMBER = /^'([\w.]+)' object has no attribute '/;
const UNDEFINED = /^name '(.+)' is not defined$/;

/**
 * Whether Python would fail in the same way as Monty, as far as can be known: raised by the code itself, by a tool, or
 * for an undefined name.
 */
function isCertain(
  { pyType, message, line }: Failed,
  { code, namespace }: RunRequest,
  { bound }: SyntaxFacts,
  raised: HostError | undefined,
) {
  if (raised?.pyType === pyType && (raised.message === message || textRepr(raised.message) === message)) return true;
  // The host knows the packs, and words this error for both engines.
  if (pyType === "AttributeError" && packAt(namespace.packs, (MEMBER.exec(message)?.[1] ?? "").split("."))) return true;
  // Monty does not find a module variable that is bound below the function that reads it.
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
  const run = async (request: RoutedRequest, facts: SyntaxFacts): Promise<RunOutcome> => {
    if ((request.engine ?? choose(facts)) === "cpython") return journaled(cpython, request);
    if (setting === "monty") {
      if (!facts.parsed) return unparsed(monty, request);
      return refused(monty, facts) ?? journaled(monty, withChecks(request, facts));
    }
    if (facts.parsed || !parts.fault) return onMonty(request, facts, parts);
    // Code that the parser does not understand has few facts, and Monty may misinterpret it.
    const fault = await parts.fault(request);
    if (!fault) return journaled(cpython, request);
    const outcome = await onMonty(request, facts, parts);
    return !outcome.ok && outcome.kind === "syntax" ? { ...outcome, ...fault } : outcome;
  };
  return { choose, run };
}

/** Runs on one engine. Without a journal, calls go to the host directly: nothing repeats them. */
async function journaled(engine: Engine, request: RoutedRequest): Promise<RunOutcome> {
  const { journal } = request;
  if (!journal) return engine.run(request);
  return engine.run({ ...request, namespace: journal.namespace }).finally(journal.close);
}

const withChecks = (request: RoutedRequest, { checked }: SyntaxFacts): RoutedRequest =>
  checked ? { ...request, checked: checked() } : request;

/** Runs on Monty, and again on CPython if Monty's failure may differ from Python's. */
async function onMonty(
  request: RoutedRequest,
  facts: SyntaxFacts,
  { monty, cpython }: RouterParts,
): Promise<RunOutcome> {
  const held: string[] = [];
  const journal = request.journal ?? openJournal(request);
  const { namespace } = journal;
  try {
    const outcome = await monty.run({
      ...withChecks(request, facts),
      namespace,
      onPrint: (text) => void held.push(text),
    });
    if (!outcome.ok && isWorthAnother(outcome, request, facts, journal)) {
      const second = await repeated(request, journal, cpython);
      if (second) return second();
    }
    for (const text of held) request.onPrint(text);
    return outcome;
  } finally {
    journal.close();
  }
}

/**
 * The run on CPython, as a function that passes on its output and returns its outcome; undefined if it called other
 * tools than the first run.
 */
async function repeated(
  request: RunRequest,
  journal: Journal,
  cpython: Engine,
): Promise<(() => RunOutcome) | undefined> {
  const held: string[] = [];
  const { namespace } = journal;
  journal.rewind();
  const outcome = await cpython.run({ ...request, namespace, onPrint: (text) => void held.push(text) });
  if (journal.hasDiverged()) return undefined;
  return () => {
    for (const text of held) request.onPrint(text);
    return outcome;
  };
}

function isWorthAnother(failed: Failed, request: RunRequest, facts: SyntaxFacts, journal: Journal): boolean {
  if (request.signal?.aborted) return false;
  if (failed.kind === "syntax") return facts.parsed;
  // The child was killed because of another run, or from outside: a separate process harms no other run.
  if (failed.kind === "unsupported" || failed.kind === "crashed") return true;
  return failed.kind === "runtime" && !isCertain(failed, request, facts, journal.lastFault());
}

/**
 * Handles code that the parser does not understand, with Monty only: the syntax error of Monty, or a refusal, because
 * the value of such code would be lost. A `return` before the code makes Monty parse all of it and run nothing.
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

/** With one engine only, refuses code that it would interpret differently from Python. */
function refused(engine: Engine, facts: SyntaxFacts): RunOutcome | undefined {
  const lack = engine.supports(facts);
  if (lack === true) return undefined;
  const stats = { engine: engine.id, wallMs: 0, cpuMs: 0, hostCalls: 0, printedBytes: 0 };
  const { feature, line } = lack;
  const message = `${feature} is not available here`;
  return { ok: false, kind: "unsupported", pyType: "NotImplementedError", message, feature, line, stats };
}
