/** Reads a command before it runs: checks its size, expands snippets, reads the code and computes the remaining time. */

import type { Limits } from "../config/run-settings.js";
import { isObject } from "../contract/json.js";
import { otherName } from "../contract/request-fields.js";
import type { Snippet } from "../contract/snippet.js";
import { type TextFault, textFault } from "./fault.js";
import type { Interpreter, Program, ReadBounds, Scope } from "./languages/language.js";
import type { OpenLanguages } from "./languages/table.js";
import { renderCall, type SnippetBounds } from "./snippets.js";

/** A command, with the reader and the limits for it. */
export interface CommandRequest extends SnippetBounds {
  readonly command: string;
  readonly reader: Pick<Interpreter, "read">;
  readonly tools: Scope;
  readonly snippets: ReadonlyMap<string, Snippet>;
  readonly languages: Pick<OpenLanguages, "ofSnippet">;
  readonly limits: Limits;
  readonly bounds: Omit<ReadBounds, "limits">;
}

/** A command that is ready to run. */
export interface ReadyCode {
  readonly kind: "ready";
  readonly program: Program;
  /** The remaining limits of the run. */
  readonly limits: Limits;
}

/** Reads a command. */
export async function readCommand(request: CommandRequest): Promise<ReadyCode | TextFault> {
  const { command, codeBytes, limits } = request;
  if (Buffer.byteLength(command) > codeBytes)
    return textFault("ValueError", `the code is larger than ${codeBytes} bytes (limits.code_bytes)`);
  const started = performance.now();
  const program = await programOf(request);
  if (program.kind === "fault") return program;
  return { kind: "ready", program, limits: limitsAfter(limits, performance.now() - started) };
}

async function programOf(request: CommandRequest): Promise<Program | TextFault> {
  const { command, reader, tools, snippets, languages, limits, bounds } = request;
  const all = { ...bounds, limits };
  const read = await reader.read("command", command, tools, all);
  if (read.kind !== "call") return read;
  const snippet = snippets.get(read.name);
  const own = snippet && (await languages.ofSnippet(read.name, snippet.language));
  if (own && "kind" in own) return own;
  const code = await renderCall(read, snippets, request);
  return code.kind === "fault" ? code : (own?.interpreter ?? reader).read("code", code.code, tools, all);
}

/** Granularity of the time that is subtracted from limits: tenths of a second. */
const LIMIT_STEP_MS = 100;

/**
 * The remaining limits of a run after reading. Processor time is not among them: on a busy machine most of that time is
 * spent waiting, and the reader has a limit of its own.
 */
function limitsAfter(limits: Limits, usedMs: number): Limits {
  const used = Math.floor(usedMs / LIMIT_STEP_MS) * LIMIT_STEP_MS;
  return used === 0 ? limits : { ...limits, wallMs: Math.max(LIMIT_STEP_MS, limits.wallMs - used) };
}

/** Longest code that a message repeats, in characters. */
const MAX_SHOWN_COMMAND_LENGTH = 500;

/** Whether a command is the JSON of a call, `{"op": …, "args": …}`: as a program it would only give itself. */
function isCall(command: string): boolean {
  if (!/^\s*\{\s*"(?:op|args|dry_run|idempotency_key)"\s*:/.test(command)) return false;
  try {
    const { op, ...rest } = JSON.parse(command) as Readonly<Record<string, unknown>>;
    return typeof op === "string" && Object.keys(rest).every((name) => CALL_FIELDS.has(name));
  } catch {
    return false;
  }
}

const CALL_FIELDS: ReadonlySet<string> = new Set(["args", "dry_run", "idempotency_key", "type"]);

/**
 * Whether a request asks for a preview.
 *
 * @returns undefined for a `preview` that is neither true nor false
 */
export function asksForPreview(request: unknown): boolean | undefined {
  const { preview = false } = (typeof request === "object" && request !== null ? request : {}) as {
    readonly preview?: unknown;
  };
  return typeof preview === "boolean" ? preview : undefined;
}

/** What a request asks for. */
interface RunDemand {
  readonly kind: "demand";
  readonly command: string;
  readonly isPreview: boolean;
  /** The failed run after which its program goes on. */
  readonly after: string | undefined;
  /** The language that the request names. */
  readonly language: string | undefined;
}

/** What a request may have beside its code. */
const FIELDS = ["after", "language"] as const;

/**
 * Reads a request.
 *
 * @param isOffered - whether it may ask for a preview
 * @param label - the language of its code, for people
 */
export function readDemand(request: unknown, isOffered: boolean, label: string): RunDemand | TextFault {
  const command = commandOf(request, label, isOffered ? [...FIELDS, "preview"] : FIELDS);
  if (typeof command !== "string") return command;
  const isPreview = isOffered ? asksForPreview(request) : false;
  if (isPreview === undefined) return textFault("TypeError", "run() 'preview' must be true or false");
  const { after, language } = request as { readonly after?: unknown; readonly language?: unknown };
  if (language !== undefined && language !== null && typeof language !== "string")
    return textFault("TypeError", "run() 'language' must be text");
  const demand = { kind: "demand", command, isPreview, language: language ?? undefined } as const;
  if (after === undefined || after === null) return { ...demand, after: undefined };
  if (typeof after === "string" && /^run_[a-z0-9]{1,40}$/.test(after)) return { ...demand, after };
  return textFault("TypeError", `run() 'after' must be the id of a run that failed, such as "run_k3v9q2m4x7ab"`);
}

/** What is said of a request that has its code under another name; undefined for others. */
export function fieldNote(request: unknown): string | undefined {
  if (!isObject(request) || Object.hasOwn(request, "command")) return undefined;
  const named = otherName(request, "command");
  return named === undefined ? undefined : `Note: ${named} was read as command.`;
}

/**
 * The code of a request.
 *
 * @param others fields that it may have, too
 */
function commandOf(request: unknown, label: string, others: readonly string[]): string | TextFault {
  const all = typeof request === "object" && request !== null ? Object.entries(request) : [];
  const fields = all.filter(([name]) => !others.includes(name));
  const named = otherName(Object.fromEntries(fields), "command");
  const field = fields.length === 1 && named !== undefined ? named : "command";
  const command = fields.find(([name]) => name === field)?.[1];
  const other = fields.find(([name]) => name !== field)?.[0];
  const [[, only] = []] = fields;
  const isShown = fields.length === 1 && typeof only === "string" && only.length <= MAX_SHOWN_COMMAND_LENGTH;
  const next = `Next: send ${isShown ? JSON.stringify({ command: only }) : `{"command": "<${label} code>"}`}`;
  if (other !== undefined)
    return textFault("TypeError", `run() got an unexpected argument '${other.slice(0, 40)}'`, next);
  if (typeof command === "string")
    return isCall(command)
      ? textFault("TypeError", "'command' is a call, not code", "Next: send it to tool_exec")
      : command;
  return textFault("TypeError", command === undefined ? "run() needs 'command'" : "run() 'command' must be text", next);
}
