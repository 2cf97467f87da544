/** A server over the project in `run-demo`, and its tool `run` as a client calls it. */

import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { CHECKOUT, generatedRoot, type Served, serve } from "../project.js";

/** Starting Python takes its time on a busy machine. */
export const SLOW = 120_000;

/** The definitions of the project. */
export const RUN_DEMO = join(CHECKOUT, "test/support/demos/run-demo/definitions");

/** The definitions of a desk with 34 tasks, which has writes. */
export const DESK_DEMO = join(CHECKOUT, "test/support/demos/desk-demo/definitions");

/** What the tool answered. */
interface Reply {
  readonly text: string;
  readonly isError: boolean;
}

/** The project of a test file. */
export interface RunDemo {
  root(): string;
  server(): Served;
  /** The text of a run that must end well. */
  ok(command: string): Promise<string>;
  /** The text of a run that must fail. */
  bad(command: string): Promise<string>;
  /** The notes beside the value of a run; undefined without notes. */
  notes(command: string): Promise<string | undefined>;
}

/** Starts a server for the tests of this file. */
export function runDemo(definitions = RUN_DEMO, flags: readonly string[] = []): RunDemo {
  const cleaning: (() => void)[] = [];
  let root = "";
  let server: Served;
  beforeAll(async () => {
    root = await generatedRoot(definitions, (one) => void cleaning.push(one));
    server = await serve(root, flags);
  }, SLOW);
  afterAll(async () => {
    await server.close();
    for (const one of cleaning) one();
  });
  const blocksOf = async (command: string) => {
    const result = await server.client.callTool({ name: "run", arguments: { command } });
    expect(result.structuredContent).toBeUndefined();
    const texts = result.content.map((block) => (block.type === "text" ? block.text : ""));
    return { texts, isError: result.isError === true };
  };
  const run = async (command: string): Promise<Reply> => {
    const { texts, isError } = await blocksOf(command);
    const [text] = texts;
    if (text === undefined || texts.length !== 1) throw new Error("not one text block");
    return { text, isError };
  };
  const notes = async (command: string): Promise<string | undefined> => {
    const { texts, isError } = await blocksOf(command);
    expect(isError, texts[0]).toBe(false);
    return texts[1];
  };
  const ending =
    (failed: boolean) =>
    async (command: string): Promise<string> => {
      const { text, isError } = await run(command);
      expect(isError, text).toBe(failed);
      return text;
    };
  return { root: () => root, server: () => server, ok: ending(false), bad: ending(true), notes };
}
