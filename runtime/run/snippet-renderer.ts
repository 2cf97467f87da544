/** Renders templates in a worker for each language, which starts with the first one and ends once it is idle. */

import { Worker } from "node:worker_threads";
import { IDLE_MS, idleTimer } from "./engine/idle-timer.js";
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

/** Renders templates apart. */
export interface SnippetRenderer {
  /** Renders a template with these values, to at most `most` characters. */
  render(order: Omit<RenderOrder, "id">): Promise<Rendered>;
  isStarted(): boolean;
}

/** A worker, and who waits for it. */
interface Running {
  readonly worker: Worker;
  readonly waiting: Map<number, (rendered: Rendered) => void>;
}

/**
 * Makes a renderer; its worker starts with the first template, and ends once it is idle: the reader of a language stays in its memory.
 *
 * @param program - path of the worker
 */
export function snippetRenderer(program: string, idleMs = IDLE_MS): SnippetRenderer {
  let running: Running | undefined;
  let last = 0;
  const idle = idleTimer(idleMs, () => {
    const ended = running;
    running = undefined;
    void ended?.worker.terminate();
  });
  const start = (): Running => {
    const worker = new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    const one: Running = { worker, waiting: new Map() };
    worker.on("message", ({ id, rendered }: Answer) => one.waiting.get(id)?.(rendered));
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (running === one) running = undefined;
      for (const settle of one.waiting.values()) settle(LOST);
    });
    worker.unref();
    return one;
  };
  return {
    render(order) {
      idle.busy();
      running ??= start();
      const { worker, waiting } = running;
      const id = ++last;
      return new Promise((resolve) => {
        const timer = setTimeout(() => void worker.terminate(), LOST_MS);
        waiting.set(id, (rendered) => {
          clearTimeout(timer);
          waiting.delete(id);
          if (waiting.size === 0) idle.idle();
          resolve(rendered);
        });
        worker.postMessage({ id, ...order });
      });
    },
    isStarted: () => running !== undefined,
  };
}

/** By the path of the worker: one for each language with snippets. */
const renderers = new Map<string, SnippetRenderer>();

const coreWorker = (): Promise<string> => programPath("snippet-worker");

/** Renders a template. @param program - the path of the worker of its language */
export async function renderApart(order: Omit<RenderOrder, "id">, program = coreWorker): Promise<Rendered> {
  const path = await program();
  const renderer = renderers.get(path) ?? snippetRenderer(path);
  renderers.set(path, renderer);
  return renderer.render(order);
}
