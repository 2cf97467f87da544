/** Tools of the conformance fixture that answer with text, and their activity during a call. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "toolwright/codegen";

export const pack = { summary: "Tools of the conformance suite." };

const STEP_MS = 50;

/**
 * Answers with a text.
 *
 * @kind read
 */
export function test_simple_text(): string {
  return "This is a simple text response for testing.";
}

/**
 * Always fails.
 *
 * @kind read
 */
export function test_error_handling(): string {
  throw new Error("This tool intentionally returns an error for testing");
}

/**
 * Reports progress in three steps.
 *
 * @kind read
 */
export async function test_tool_with_progress(ctx: Context): Promise<string> {
  for (const done of [0, 50, 100]) {
    ctx.progress(done, 100);
    await sleep(STEP_MS);
  }
  return "done";
}

/**
 * Logs three messages.
 *
 * @kind read
 */
export async function test_tool_with_logging(ctx: Context): Promise<string> {
  for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    ctx.log.info(message);
    await sleep(STEP_MS);
  }
  return "done";
}

/**
 * Gives a text.
 *
 * @kind read
 */
export function static_text(): string {
  return "This is the content of the static text resource.";
}

/**
 * Gives data of an item.
 *
 * @kind read
 */
export function template_data(id: string): { id: string; templateTest: boolean; data: string } {
  return { id, templateTest: true, data: `Data for ID: ${id}` };
}

/**
 * Logs one message, which only who asks for it gets.
 *
 * @kind read
 */
export function test_logging_tool(ctx: Context): string {
  ctx.log.info("Tool execution started");
  return "done";
}
