/** Reads the command of a run: bounds its size, expands a snippet, and takes the time of reading off the limits of the run. */

import type { Limits } from "./engine/engine.js";
import { type TextFault, textFault } from "./fault.js";
import type { ReadBounds, Reader } from "./reader.js";
import type { RewrittenCode } from "./rewrite.js";
import { renderCall, type Snippet } from "./snippets.js";
import type { Tools } from "./tool-loader.js";

/** A command, and what it is read with. */
export interface CommandRequest {
  readonly command: string;
  readonly reader: Reader;
  readonly tools: Tools;
  readonly snippets: ReadonlyMap<string, Snippet>;
  /** Bytes of the command, and of what a snippet becomes. */
  readonly codeBytes: number;
  readonly limits: Limits;
  readonly bounds: Omit<ReadBounds, "limits">;
}

/** A command that can run. */
export interface ReadyCode {
  readonly kind: "ready";
  readonly rewritten: RewrittenCode;
  /** What the run itself may still use. */
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

/** Limits are told in tenths of a second; less is not taken off. */
const LIMIT_STEP_MS = 100;

/** What is left of the limits of a run when reading took some time. */
function limitsAfter(limits: Limits, usedMs: number): Limits {
  const used = Math.floor(usedMs / LIMIT_STEP_MS) * LIMIT_STEP_MS;
  if (used === 0) return limits;
  const left = (ms: number): number => Math.max(LIMIT_STEP_MS, ms - used);
  return { ...limits, cpuMs: left(limits.cpuMs), wallMs: left(limits.wallMs) };
}

/** Code as a type check takes it; none where that takes too long. */
export async function checkableCode(
  { source }: RewrittenCode,
  { reader, tools, limits, bounds }: Pick<CommandRequest, "reader" | "tools" | "limits" | "bounds">,
): Promise<string | undefined> {
  const read = await reader.read("checkable", source, tools.checkVocabulary(), { ...bounds, limits });
  return read.kind === "fault" ? undefined : read.text;
}
