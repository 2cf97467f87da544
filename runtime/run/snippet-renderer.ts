/** Renders templates in a worker for each language, which starts with the first one and stays. */

import { Worker } from "node:worker_threads";
import { programPath } from "./engine/program.js";
import type { Marks } from "./languages/language.js";
import type { Rendered } from "./snippet-template.js";

/** A request to a worker. */
export interface RenderOrder {
  readonly id: number;
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

/** A worker, and the orders that it has not answered. */
interface Renderer {
  readonly worker: Worker;
  readonly waiting: Map<number, (rendered: Rendered) => void>;
}

/** By the path of their program. */
const renderers = new Map<string, Renderer>();
let last = 0;

function started(program: string): Renderer {
  const running = renderers.get(program);
  if (running) return running;
  const worker = new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  const one: Renderer = { worker, waiting: new Map() };
  worker.on("message", ({ id, rendered }: Answer) => one.waiting.get(id)?.(rendered));
  worker.on("error", () => {});
  worker.on("exit", () => {
    if (renderers.get(program) === one) renderers.delete(program);
    for (const settle of one.waiting.values()) settle(LOST);
  });
  worker.unref();
  renderers.set(program, one);
  return one;
}

const coreWorker = (): Promise<string> => programPath("snippet-worker");

/**
 * Renders a template with these values, to at most `most` characters.
 *
 * @param program - path of the worker of its language
 */
export async function renderApart(order: Omit<RenderOrder, "id">, program = coreWorker): Promise<Rendered> {
  const { worker, waiting } = started(await program());
  const id = ++last;
  return new Promise((resolve) => {
    const timer = setTimeout(() => void worker.terminate(), LOST_MS);
    waiting.set(id, (rendered) => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(rendered);
    });
    worker.postMessage({ id, ...order });
  });
}
