/** Renders templates in a worker, which starts with the first one and stays. */

import { Worker } from "node:worker_threads";
import { programPath } from "./engine/program.js";
import type { Marks } from "./languages/language.js";
import type { Rendered } from "./snippet-template.js";

/** A request to the worker. */
export interface RenderOrder {
  readonly id: number;
  /** The name of a language. */
  readonly language: string;
  readonly body: string;
  readonly values: ReadonlyMap<string, string>;
  readonly marks: Marks;
  /** Longest text, in characters. */
  readonly most: number;
}

/** Time after which the worker is replaced; it normally ends a template itself. */
const LOST_MS = 10_000;
const MEMORY_MB = 128;

const LOST: Rendered = { kind: "invalid", reason: "it takes more time or memory than a template may take" };

interface Answer {
  readonly id: number;
  readonly rendered: Rendered;
}

const waiting = new Map<number, (rendered: Rendered) => void>();
let worker: Worker | undefined;
let last = 0;

function started(program: string): Worker {
  if (worker) return worker;
  const one = new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  one.on("message", ({ id, rendered }: Answer) => waiting.get(id)?.(rendered));
  one.on("error", () => {});
  one.on("exit", () => {
    if (worker === one) worker = undefined;
    for (const settle of waiting.values()) settle(LOST);
  });
  one.unref();
  worker = one;
  return one;
}

/** Renders a template with these values, to at most `most` characters. */
export async function renderApart(order: Omit<RenderOrder, "id">): Promise<Rendered> {
  const one = started(await programPath("snippet-worker"));
  const id = ++last;
  return new Promise((resolve) => {
    const timer = setTimeout(() => void one.terminate(), LOST_MS);
    waiting.set(id, (rendered) => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(rendered);
    });
    one.postMessage({ id, ...order });
  });
}
