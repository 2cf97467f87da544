/**
 * One guest in the child process: starts it, passes on its calls and their answers, and tracks its CPU time and
 * printed output.
 */

import { Monty, MontyComplete, MontyError, MontyNameLookup, MontySnapshot } from "@pydantic/monty";
import { recentOf } from "../../contract/recent.js";
import { BUILTINS } from "../names.js";
import type { PackTree } from "./engine.js";
import { MISSING_BUILTINS, TOOL_AS_VALUE, unsupported } from "./monty-faults.js";
import { EXACT, LACK } from "./monty-guards.js";
import { finishedOf, type Hosted, placeOf, raisedFailure } from "./monty-outcome.js";
import { OWN_OP_METHOD, type Packs, packsOf } from "./monty-packs.js";
import { wrapped } from "./monty-prelude.js";
import {
  fromValue,
  fromValueAsJson,
  holdsHalfCharacter,
  holdsWholeFloat,
  isTooLarge,
  toValue,
} from "./monty-values.js";
import {
  type Answer,
  type Call,
  calledTooOften,
  type End,
  type Failure,
  type FromChild,
  megabytes,
  outOfTime,
  overLimit,
  type ToChild,
} from "./monty-wire.js";

type Sent = Extract<ToChild, { readonly kind: "run" }>;
/** A run with its packs. */
export type Order = Omit<Sent, "packs"> & { readonly packs: PackTree };
type Progress = MontyComplete | MontyNameLookup | MontySnapshot;

/**
 * Monty's clock runs during tool calls; a longer pause is subtracted, at the cost of a copy of the guest's memory.
 */
const PAUSE_SLACK_MS = 50;

/** Deepest nesting of arguments; deeper ones are refused. */
const ARGUMENT_DEPTH = 200;

/** Python exceptions that Monty lacks, with the nearest one that it has. */
const STAND_INS: ReadonlyMap<string, string> = new Map([["ConnectionError", "OSError"]]);

/** A guest; both functions return whether it has ended and reported its end. */
export interface GuestRun {
  start(): boolean;
  /** @param ahead - the answers to the calls that follow, as far as they are known */
  answer(answer: Answer, ahead: readonly Answer[]): boolean;
}

interface State {
  readonly order: Order;
  readonly packs: Packs;
  readonly printer: Printer;
  readonly send: (message: FromChild) => void;
  linesBefore: number;
  cpuMs: number;
  /** Time in pauses since Monty's clock started. */
  idleMs: number;
  pausedAt: number;
  paused?: MontySnapshot;
  /** Answers to the next calls, the next one last. */
  ahead: Answer[];
  /** Calls that have got such an answer and were not reported yet. */
  made: Call[];
  /** Whether the pending call takes its value as JSON. */
  takesJson: boolean;
  calls: number;
  /** Suppresses further output: the run is over, whatever its code still does. */
  isMute: boolean;
  /** The last exception that was raised for the host, and its intended type. */
  hosted?: Hosted;
}

/** Prepares a run; nothing runs yet. */
export function guestRun(order: Order, send: (message: FromChild) => void): GuestRun {
  const state: State = {
    order,
    packs: packsOf(order.packs, order.projects.size > 0),
    printer: printerOf(order.limits.printBytes, (text) => send({ kind: "print", id: order.id, text })),
    send,
    linesBefore: 0,
    cpuMs: 0,
    idleMs: 0,
    pausedAt: 0,
    calls: 0,
    ahead: [],
    made: [],
    takesJson: false,
    isMute: false,
  };
  return { start: () => advance(state, () => begin(state)), answer: (...given) => goOn(state, ...given) };
}

function begin(state: State): Progress {
  const { code, limits, projects, packs: tree } = state.order;
  const { inputs } = state.packs;
  const taken = (name: string): boolean => name in inputs || BUILTINS.has(name);
  // A function of `proj` keeps its name; a project of the same name is unreachable.
  const functions = tree.get("proj");
  const reachable = new Map([...projects].filter(([name]) => !functions?.has(name)));
  // A continued last line would include the code behind it.
  if (code.endsWith("\\")) new Monty(code);
  const { text, linesBefore } = wrapped(code, { taken, projects: reachable, limits });
  state.linesBefore = linesBefore;
  return compiled(text, Object.keys(inputs)).start({
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    limits: {
      maxDurationSecs: (limits.cpuMs + PAUSE_SLACK_MS) / 1000,
      maxMemory: limits.memoryBytes,
      // Very high values make Monty hang.
      maxRecursionDepth: Math.min(limits.recursion, 1000),
    },
    printCallback: printing(state),
  });
}

/** Programs that a child keeps as they were compiled, and the longest of them, in characters with the prelude. */
const MAX_COMPILED = 32;
const MAX_COMPILED_LENGTH = 32_768;

const recent = recentOf<Monty>(MAX_COMPILED);

/** A program, compiled now or when it came before: a start of it shares nothing with the others. */
function compiled(text: string, inputs: string[]): Monty {
  const make = (): Monty => new Monty(text, { scriptName: "run.py", inputs });
  return text.length > MAX_COMPILED_LENGTH ? make() : recent(`${inputs.join()}\n${text}`, make);
}

function goOn(state: State, answer: Answer, ahead: readonly Answer[]): boolean {
  const { paused, order } = state;
  if (!paused) return false;
  delete state.paused;
  state.ahead = [...ahead].reverse();
  state.idleMs += performance.now() - state.pausedAt;
  if (state.cpuMs >= order.limits.cpuMs) {
    return finish(state, { ...outOfTime(order.limits.cpuMs), ...lineOf(state, paused) });
  }
  const lack = lackOf(state, answer);
  if (lack) {
    return finish(state, { ...unsupported(lack), ...lineOf(state, paused) });
  }
  return advance(state, () => {
    if (state.idleMs <= PAUSE_SLACK_MS) return paused.resume(resumption(state, answer));
    state.idleMs = 0;
    const restarted = MontySnapshot.load(paused.dump(), { printCallback: printing(state) });
    return restarted.resume(resumption(state, answer));
  });
}

/** The part of an answer that Monty cannot take, if any. */
function lackOf({ takesJson }: State, answer: Answer): string | undefined {
  if (answer.kind !== "value") return undefined;
  if (!takesJson && holdsWholeFloat(answer.value)) return "a whole float as the value of such a call";
  return holdsHalfCharacter(answer.value) ? "half a character in the value of a call" : undefined;
}

function resumption(state: State, answer: Answer) {
  if (answer.kind === "value")
    return { returnValue: (holdsWholeFloat(answer.value) ? fromValueAsJson : fromValue)(answer.value) };
  const type = STAND_INS.get(answer.pyType);
  state.hosted = { raised: type ?? answer.pyType, message: answer.message, meant: answer.pyType };
  return { exception: { type: type ?? answer.pyType, message: answer.message } };
}

/** Runs the guest until it calls a tool whose answer is not here, or ends. */
function advance(state: State, step: () => Progress): boolean {
  const { order, printer, send } = state;
  const begun = performance.now();
  const now = settle(state, step, begun);
  state.cpuMs += performance.now() - begun;
  printer.flush();
  if ("ok" in now) return finish(state, now);
  state.pausedAt = performance.now();
  send({ kind: "call", id: order.id, cpuMs: state.cpuMs, made: state.made.splice(0), ...now });
  return false;
}

function finish(state: State, end: End): boolean {
  state.send({ kind: "done", id: state.order.id, end, cpuMs: state.cpuMs, made: state.made.splice(0) });
  return true;
}

function settle(state: State, step: () => Progress, begun: number): End | Call {
  const { limits } = state.order;
  const tooMuch = overLimit(`printed more than ${state.printer.limit}`);
  try {
    let at = step();
    for (;;) {
      if (state.printer.isOver()) return tooMuch;
      if (at instanceof MontyComplete) return finishedOf(at.output, limits);
      const asked = at instanceof MontyNameLookup ? afterName(state, at) : afterCall(state, at);
      const next = "path" in asked ? goAhead(state, asked) : asked;
      if (!isProgress(next)) return next;
      at = next;
    }
  } catch (error) {
    if (state.printer.isOver()) return tooMuch;
    const spent = state.cpuMs + performance.now() - begun;
    const { isOp } = state.packs;
    return raisedFailure(error, { ...state.order, isOp, linesBefore: state.linesBefore, spent, ...hostedOf(state) });
  }
}

const printing =
  (state: State) =>
  (stream: string, text: string): void => {
    if (!state.isMute) state.printer.print(stream, text);
  };

/** The line at which a run was stopped. It is read from an exception that is raised there; unknown if the code catches the exception. */
function lineOf(state: State, at: MontySnapshot): Pick<Failure, "line" | "column"> {
  const message = `stopped: ${state.order.id}`;
  state.isMute = true;
  try {
    at.resume({ exception: { type: "RuntimeError", message } });
  } catch (error) {
    if (error instanceof MontyError && error.exception.message === message)
      return placeOf(error, { code: state.order.code, linesBefore: state.linesBefore });
  }
  return {};
}

const isProgress = (it: End | Call | Progress): it is Progress =>
  it instanceof MontyComplete || it instanceof MontyNameLookup || it instanceof MontySnapshot;

const hostedOf = ({ hosted }: State) => (hosted ? { hosted } : {});

/** The guest with the answer to its call, if it is here already. */
function goAhead(state: State, call: Call): End | Call | Progress {
  const { paused } = state;
  const answer = state.ahead.pop();
  if (!paused || !answer) return call;
  delete state.paused;
  state.made.push(call);
  const lack = lackOf(state, answer);
  return lack ? { ...unsupported(lack), ...lineOf(state, paused) } : paused.resume(resumption(state, answer));
}

/** A name without a binding: a builtin, a tool, or an undefined name. */
function afterName(state: State, at: MontyNameLookup): End | Progress {
  const name = at.variableName;
  if (state.packs.isOp([name])) return unsupported(TOOL_AS_VALUE);
  return MISSING_BUILTINS.has(name) ? unsupported(name) : at.resume();
}

/** The path of a method call on a pack: `search(demo)` looks like `demo.search()` here, and the tree tells which ops are bare. */
function methodPath({ isOp }: Packs, pack: readonly string[], name: string): readonly string[] | undefined {
  if (name === OWN_OP_METHOD) return pack;
  return isOp([...pack, name]) || !isOp([name]) ? [...pack, name] : undefined;
}

/** A method call on a pack, or a call of a bare name. */
function afterCall(state: State, at: MontySnapshot): End | Call | Progress {
  const [first, ...rest] = at.args;
  const pack = state.packs.pathOf(first);
  const name = at.functionName;
  if (name === LACK) {
    const [feature, type, message] = at.args;
    // An exception that a tool raised needs no check.
    if (state.hosted && state.hosted.raised === type && state.hosted.message === message)
      return at.resume({ returnValue: null });
    return { ...unsupported(String(feature)), ...lineOf(state, at) };
  }
  const method = pack && methodPath(state.packs, pack, name);
  if (!method && MISSING_BUILTINS.has(name) && !state.packs.isOp([name]))
    return { ...unsupported(name), ...lineOf(state, at) };
  const most = state.order.limits.hostCalls;
  state.calls += 1;
  if (state.calls > most) return { ...overLimit(calledTooOften(most)), ...lineOf(state, at) };
  const path = method ?? [name];
  const bounds = { depth: ARGUMENT_DEPTH, left: state.order.limits.resultBytes, tooDeep: "fail" as const };
  try {
    const args = (method ? rest : at.args).map((one) => toValue(one, bounds));
    const named = Object.entries(at.kwargs).filter(([key]) => key !== EXACT);
    const kwargs = named.map(([key, value]) => [key, toValue(value, bounds)] as const);
    state.takesJson = Object.hasOwn(at.kwargs, EXACT);
    state.paused = at;
    return { path, args, kwargs };
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    const [type, message] = ["ValueError", `the arguments of ${path.join(".")} are too large`] as const;
    state.hosted = { raised: type, message, meant: type };
    return at.resume({ exception: { type, message } });
  }
}

/** Size and age at which a part is sent, so that little is lost if the child is killed. */
const PART_LENGTH = 16_384;
const PART_MS = 20;

/** Receives the output of a guest. */
export interface Printer {
  readonly limit: string;
  /** Throws beyond the limit; a guest may catch that, so `isOver` is decisive. */
  print(stream: string, text: string): void;
  isOver(): boolean;
  flush(): void;
}

/** A printer with a limit in bytes. */
export function printerOf(limitBytes: number, send: (text: string) => void): Printer {
  const limit = megabytes(limitBytes);
  let part = "";
  let bytes = 0;
  let sentAt = performance.now();
  const flush = (): void => {
    if (part !== "") send(part);
    part = "";
    sentAt = performance.now();
  };
  const print = (_stream: string, text: string): void => {
    const left = limitBytes - bytes;
    if (left < 0) throw new Error(`printed more than ${limit}`);
    bytes += Buffer.byteLength(text);
    part +=
      bytes > limitBytes
        ? Buffer.from(text)
            .subarray(0, left)
            .toString()
            .replace(/\ufffd$/, "")
        : text;
    if (bytes > limitBytes) {
      bytes = limitBytes + 1;
      throw new Error(`printed more than ${limit}`);
    }
    if (part.length >= PART_LENGTH || performance.now() - sentAt >= PART_MS) flush();
  };
  return { limit, print, isOver: () => bytes > limitBytes, flush };
}
