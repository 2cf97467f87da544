/** Reads a command before it runs: checks its size, expands snippets, rewrites the code and computes the remaining limits. */

import type { Limits } from "../config/run-settings.js";
import type { Snippet } from "../contract/snippet.js";
import { type TextFault, textFault } from "./fault.js";
import type { ReadBounds, Reader } from "./reader.js";
import type { RewrittenCode } from "./rewrite.js";
import { renderCall } from "./snippets.js";
import type { Tools } from "./tool-loader.js";

/** A command, with the reader and the limits for it. */
export interface CommandRequest {
  readonly command: string;
  readonly reader: Reader;
  readonly tools: Tools;
  readonly snippets: ReadonlyMap<string, Snippet>;
  /** Most bytes of the command, and of a rendered snippet. */
  readonly codeBytes: number;
  readonly limits: Limits;
  readonly bounds: Omit<ReadBounds, "limits">;
}

/** A command that is ready to run. */
export interface ReadyCode {
  readonly kind: "ready";
  readonly rewritten: RewrittenCode;
  /** The remaining limits of the run. */
  readonly limits: Limits;
}

/** Reads a command. */
export async function readCommand(request: CommandRequest): Promise<ReadyCode | TextFault> {
  const { command, codeBytes, limits } = request;
  if (Buffer.byteLength(command) > codeBytes)
    return textFault("ValueError", `the code is larger than ${codeBytes} bytes (limits.code_bytes)`);
  const started = performance.now();
  const read = await rewrittenOf(request);
  if (read.kind === "fault") return read;
  return { kind: "ready", rewritten: read.rewritten, limits: limitsAfter(limits, performance.now() - started) };
}

async function rewrittenOf({ command, reader, tools, snippets, codeBytes, limits, bounds }: CommandRequest) {
  const all = { ...bounds, limits };
  const read = await reader.read("command", command, tools.vocabulary, all);
  if (read.kind !== "call") return read;
  const code = await renderCall(read, snippets, codeBytes);
  return code.kind === "fault" ? code : reader.read("code", code.code, tools.vocabulary, all);
}

/** Granularity of the time that is subtracted from limits: tenths of a second. */
const LIMIT_STEP_MS = 100;

/** The remaining limits of a run after reading. */
function limitsAfter(limits: Limits, usedMs: number): Limits {
  const used = Math.floor(usedMs / LIMIT_STEP_MS) * LIMIT_STEP_MS;
  if (used === 0) return limits;
  const left = (ms: number): number => Math.max(LIMIT_STEP_MS, ms - used);
  return { ...limits, cpuMs: left(limits.cpuMs), wallMs: left(limits.wallMs) };
}

/** Code in the form for a type check; undefined if that takes too long. */
export async function checkableCode(
  { source }: RewrittenCode,
  { reader, tools, limits, bounds }: Pick<CommandRequest, "reader" | "tools" | "limits" | "bounds">,
): Promise<string | undefined> {
  const read = await reader.read("checkable", source, tools.checkVocabulary(), { ...bounds, limits });
  return read.kind === "fault" ? undefined : read.text;
}
