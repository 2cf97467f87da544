/**
 * What a language of `run` provides: it reads commands to programs, runs them, and words what is said of them. Types alone.
 * Only plain data crosses the boundary between a program and this server.
 */

import type { CanCall } from "../../catalog/advice.js";
import type { Limits } from "../../config/run-settings.js";
import type { ErrorBody } from "../../contract/error-body.js";
import type { JsonObject, Parameter, Tool } from "../../contract/registry.js";
import type { DeliveryLog, RunOrigin } from "../engine/delivery-log.js";
import type { TextFault } from "../fault.js";
import type { Names } from "../names.js";
import type { SnippetCall } from "../snippet-call.js";

/**
 * A value of a program as plain data. Never a plain object: keys of a program must not become property lookups. A language
 * without tuples, sets or dates makes none. Logs of runs hold it, and calls are compared by it when a run goes on.
 */
export type Data =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Data[]
  | { readonly $: "dict"; readonly entries: readonly (readonly [Data, Data])[] }
  | { readonly $: "tuple" | "set"; readonly items: readonly Data[] }
  /** `1.0`, `nan`, `inf`: floats that a JavaScript number would not distinguish from `1`. */
  | { readonly $: "float"; readonly text: string }
  | { readonly $: "datetime" | "date" | "timedelta" | "path" | "opaque"; readonly text: string };

/** A call of an op by a program: `onto.task.list(…)` has the path `onto`, `task`, `list`; a bare call has one part. */
export interface HostCall {
  readonly path: readonly string[];
  readonly positional: readonly Data[];
  readonly named: readonly (readonly [string, Data])[];
  /** Named arguments that were given no value, and are left out. */
  readonly omitted?: readonly string[] | undefined;
  /** Line of the code of the program, from 1. */
  readonly line?: number | undefined;
  readonly signal: AbortSignal;
  /** Its place among the calls of the run, from 1, if the run has a journal. */
  readonly ordinal?: number | undefined;
  /** Resolves when the program waits: it makes no other call before an answer. Absent if it waits for each call. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/** Why a call failed, as the program is told. */
export interface CallFailure {
  /** A code of errors, such as `NOT_FOUND`. */
  readonly code: string;
  readonly message: string;
  /** A dict: the rest of what is known. */
  readonly details: Data;
  /**
   * The class of exception that the handler or the texts of the language ask for; a language raises its own for one that it
   * does not know. Absent for a fault of this server, which a program is not told.
   */
  readonly exception?: string;
}

/** The answer to a call. */
export type CallAnswer = { readonly value: Data } | { readonly failure: CallFailure };

/**
 * Packs by name, their ops nested by segment; `null` is an op. `onto.search` beside `onto.search.project` is `OWN_OP` in the pack
 * `onto.search`. Maps, because names are untrusted.
 */
export interface PackTree extends ReadonlyMap<string, PackTree | null> {}

/** The names that a program can use. */
export interface CallableNames {
  readonly packs: PackTree;
  /** Paths of ops that can be called but are never listed. */
  readonly hidden?: ReadonlySet<string> | undefined;
  /** `proj.<name>`: name to path. */
  readonly projects: ReadonlyMap<string, string>;
}

/** The names that a program can use, and what calls them. */
export interface Namespace extends CallableNames {
  /** Executes a call; a `HostError` is a failure that the program is told, any other error is internal. */
  call(call: HostCall): Promise<Data>;
}

/** What a caller may use in code. */
export interface Scope {
  /** Ops that the caller can call, including hidden ones. */
  readonly ops: readonly Tool[];
  /** Paths of ops that can be called but are never named in texts. */
  readonly hidden: ReadonlySet<string>;
  /** Aliases, packs and bare names. */
  readonly names: Names;
  /** `proj.<name>`: name to absolute path. */
  readonly projects: ReadonlyMap<string, string>;
}

/** Code that was read and is ready to run. */
export interface Program {
  readonly kind: "program";
  readonly language: Pick<Language, "name" | "texts">;
  /** The code to run, opaque outside of the language, with as many lines as `source`. */
  readonly code: string;
  /** The code as it was sent, without what wraps it: for the line in an error. */
  readonly source: string;
  /** Names with several possible ops. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Path of the op whose call is directly the value of the program. */
  readonly lastCall?: readonly string[] | undefined;
  /** What to do about a syntax error in this code. */
  readonly hint?: string | undefined;
  /** What is told of a program that ended well: its reads of members that are not there, where that is no failure. */
  readonly doubts?: readonly CodeFinding[] | undefined;
  /** Digest of all that decides which calls it makes: a run goes on only with the same. */
  codeHash(): string;
  /**
   * Whether the program only passes on the answers of ops.
   *
   * @param isOp whether an op with this path may get such an answer as an argument
   * @param has whether all of these answers of an op have a member, by its path; where an absent one is no failure
   */
  forwards(
    ops: Iterable<string>,
    isOp: (path: string) => boolean,
    has: (op: string, member: string) => boolean,
  ): boolean;
  /** Its calls; undefined if they cannot be read in time. */
  calls(): ProgramCalls | undefined;
}

/** A call of a program with its answer, as a journal holds it. */
export interface AnsweredCall {
  readonly op: string;
  readonly answer?: CallAnswer;
}

/** The keys of an op that may be named, if not all: those that its type has. */
export type KnownKeys = (op: string) => ReadonlySet<string> | undefined;

/** The calls in the code of a program. */
export interface ProgramCalls {
  /** The line of a call, by its place among the calls of its op, from 0; undefined unless each place is called once. */
  lineOf(op: string, nth: number): number | undefined;
  /** What a failed access says of the answer that it reads; undefined if that is not clear. */
  useOf(failed: FailedRun, calls: readonly AnsweredCall[], keysOf: KnownKeys): string | undefined;
}

/** Limits, caller and cancellation of one reading. */
export interface ReadBounds {
  readonly limits: Pick<Limits, "cpuMs" | "wallMs">;
  readonly signal?: AbortSignal | undefined;
  /** Callers take turns; absent: without turns. */
  readonly caller?: string | undefined;
}

/** A finding of a check. */
export interface CodeFinding {
  /** Line of the code as sent, counted from 1. */
  readonly line: number;
  readonly message: string;
  /** Set if it rests on a learned type, which the server has not promised. */
  readonly is_learned?: true;
}

/** How many processes there may be, and for how many runs. */
export interface InterpreterSettings {
  readonly instances?: number;
  readonly instanceRuns?: number;
}

/** What texts are read to. */
export interface Readings {
  /** A command as it was sent, with what wraps it. */
  readonly command: Program | SnippetCall;
  /** Code alone: the text of a rendered snippet. */
  readonly code: Program;
}

/** What reads and runs code of one language for one gateway. */
export interface Interpreter {
  /** Reads code, whose faults are certain: nothing of it runs. */
  read<F extends keyof Readings>(
    form: F,
    text: string,
    scope: Scope,
    bounds: ReadBounds,
  ): Promise<Readings[F] | TextFault>;
  /** Advice on a program that this interpreter has read, by line; undefined without an answer in time. */
  check(
    program: Program,
    scope: Scope,
    bounds: ReadBounds,
    limitMs?: number,
  ): Promise<readonly CodeFinding[] | undefined>;
  /** Declarations of what programs may use, for an editor; absent in languages without any. Hidden ops are not among them. */
  types?(scope: Scope): string;
  /** Why no program is checked here, with what to do; undefined if they are. */
  whyUnchecked(): Promise<string | undefined>;
  /** The engine of its programs, as stored runs name it: they go on with the same. */
  readonly engine: string;
  /** Loads what runs code; rejects once it is closed. */
  ready(): Promise<void>;
  /** Never rejects because of the code. */
  run(request: RunRequest): Promise<RunOutcome>;
  /** The version of the language; undefined if it cannot be asked. */
  version(limits: Limits): Promise<string | undefined>;
  /** Announces runs: starts the process that they need, in the background; never fails. */
  warm(): void;
  /** Ends running code; later runs fail. */
  close(): Promise<void>;
}

/** One run. */
export interface RunRequest {
  /** Whose code it is: what has run code of one owner runs no code of another. See `ownerOf`. */
  readonly owner: string;
  /** Whether another program may wait for it: it must not wait until that one has ended. */
  readonly isInner?: boolean;
  /** `code` of a program. */
  readonly code: string;
  readonly namespace: Namespace;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
  /** Seed and start time; by default new ones. */
  readonly origin?: RunOrigin;
  /** The order of deliveries; by default a new log. */
  readonly log?: DeliveryLog;
  onPrint(text: string): void;
}

/** Why a run failed. */
export type FailureKind = "syntax" | "runtime" | "timeout" | "memory" | "output" | "cancelled" | "crashed";

/** How a run ended. */
export type RunOutcome =
  | {
      readonly ok: true;
      readonly outcome: "value" | "none" | "novalue";
      readonly value: Data;
      /** The value as JSON, made by the program's side, which distinguishes `1.0` from `1`. */
      readonly json?: string;
      /** The text of the value in the language itself, if `__format__` is `raw`. */
      readonly str?: string;
      /** The magic variables `__format__` and `__sanitize__`, if the code sets them. */
      readonly format?: Data;
      readonly sanitize?: Data;
      /** Timers that had not ended: their functions were not called. */
      readonly timers?: number;
      readonly stats: EngineStats;
    }
  | {
      readonly ok: false;
      readonly kind: FailureKind;
      /** Name of the exception: `ZeroDivisionError` */
      readonly name: string;
      readonly message: string;
      /** In the code of the program, from 1; the innermost frame in it. */
      readonly line?: number;
      readonly column?: number;
      readonly stats: EngineStats;
    };

/** A successful run. */
export type FinishedRun = Extract<RunOutcome, { readonly ok: true }>;

/** A failed run. */
export type FailedRun = Extract<RunOutcome, { readonly ok: false }>;

/** Resources that a run used. */
export interface EngineStats {
  readonly engine: string;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly hostCalls: number;
  readonly printedBytes: number;
}

/** The value of a parameter, and how the caller named it. */
export interface GivenArgument {
  readonly value: Data;
  /** Undefined: by position. */
  readonly key?: string;
}

/** Arguments by parameter. */
export type BoundArguments = ReadonlyMap<Parameter, GivenArgument>;

/** What is wrong with the arguments of a call. */
export type ArgumentFault =
  | { readonly kind: "surplus"; readonly most: number; readonly given: number }
  /** `meant`: the name that was probably meant. */
  | { readonly kind: "unexpected"; readonly key: string; readonly meant?: string | undefined }
  | { readonly kind: "twice"; readonly name: string; readonly before: string | undefined; readonly key: string }
  | { readonly kind: "missing"; readonly name: string };

/** A call that the op, or a check of its arguments, has refused. */
export interface FailedOp {
  readonly tool: Tool;
  readonly bound: BoundArguments;
  readonly error: ErrorBody;
  /** Time limit of the op, in milliseconds. */
  readonly limitMs: number;
}

/** Characters that mark the start and the end of a value in a rendered template; a value that is no text starts with two. */
export interface Marks {
  readonly open: string;
  readonly close: string;
}

/** The code of a snippet with its values, or why one of them cannot be where it is. */
export type PlacedText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "invalid"; readonly reason: string };

/** The ops of a caller, as examples need them. */
export interface ExampleOps {
  readonly ops: readonly string[];
  isRead(op: string): boolean;
  /** What the caller can call; default: every op. */
  readonly can?: CanCall | undefined;
}

/** Code that is refused in one language and has the form of another. */
export interface Misread {
  /** What it looks like, and what to do: a clause. */
  readonly advice: string;
  /** Whether the other language is run here. */
  readonly isRun: boolean;
}

/** What is known where a run has failed. */
export interface KnownOfFailure extends ExampleOps {
  readonly program: Program;
  /** The names that the program could use. */
  readonly namespace: CallableNames;
  /** What the answer of a call has that the code read as something else. */
  readonly use?: string | undefined;
  /** What the code looks like, if its language refuses it. */
  readonly misread?: Misread | undefined;
  /** The lines that were found for an exception with this message when its call failed. */
  hintsOf(message: string): readonly string[];
  /** The op that a path without an op probably means. */
  meantOp(path: string): string | undefined;
}

/** Context of the text of a value. */
export interface FormatOptions {
  /** `limits.result_depth`: deeper values are `"..."`. */
  readonly depth: number;
  /** Whether the captured value is directly a call of an op of `ot`, which answers in YAML. */
  readonly isOt: boolean;
}

/** Code that calls an op with each of several texts and collects the answers by them. */
export interface CallLoop {
  /** Lines of a comment before the code. */
  readonly comment: readonly string[];
  /** The name of the list, and its values. */
  readonly list: string;
  readonly values: readonly string[];
  /** The name of one value. */
  readonly item: string;
  /** The name of the answers. */
  readonly answers: string;
  readonly op: string;
  /** The argument that takes the value. */
  readonly argument: string;
  /** The other arguments. */
  readonly args: JsonObject;
}

/** The wording of a language: what is said to authors of its programs. */
export interface LanguageTexts {
  /** A call of an op as code: corrected calls. */
  call(op: string, args: JsonObject): string;
  /** A program that calls an op for each value of a list; no value leaves its literal, and no line its comment. */
  callLoop(loop: CallLoop): string;
  /** The text of the value of a run; undefined without a value. */
  value(outcome: FinishedRun, options: FormatOptions): Promise<string | undefined>;
  /** A value of a template that is no text, as the template prints it. */
  printed(value: unknown): string;
  /** Puts marked values into the text of a snippet, escaped in literals. */
  placed(text: string, marks: Marks): Promise<PlacedText>;
  /** The failure of a call whose arguments cannot be bound. */
  argumentFault(tool: Tool, fault: ArgumentFault): CallFailure;
  /** The failure of a call with an argument that JSON cannot hold. */
  unsendable(tool: Tool, failure: CallFailure): CallFailure;
  /** The failure of a call that was refused or has failed. */
  failed(call: FailedOp): CallFailure;
  /** The failure of a call of a path that is no op. */
  unknownPath(
    path: readonly string[],
    names: CallableNames,
    ambiguous: ReadonlyMap<string, readonly string[]>,
  ): CallFailure;
  /** A failure as a text for code that is no program: `KeyError: 'a'`. */
  failureText(failure: CallFailure): string;
  /** The message of a failed run for its author, who may have written another language. */
  message(failed: FailedRun, known: KnownOfFailure): string;
  /** Lines that help to correct it, each what is known, or what to do if it begins with `Next: `. */
  hints(failed: FailedRun, code: string, known: KnownOfFailure): readonly string[];
  /** Whether a check could add anything to what is said of it. */
  isWorthChecking(failed: FailedRun): boolean;
}

/** A language of `run`. */
export interface Language {
  readonly name: string;
  readonly texts: LanguageTexts;
  /**
   * Opens it for a project; starts nothing.
   *
   * @param root - the folder of the project, where it may keep what it can make again
   */
  open(root: string, settings?: InterpreterSettings): Interpreter;
}
