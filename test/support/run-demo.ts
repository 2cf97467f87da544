/** A server over the project in `run-demo`, and its tool `run` as a client calls it. */

import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { CHECKOUT, generatedRoot, type Served, serve } from "./project.js";

/** Starting Python takes its time on a busy machine. */
export const SLOW = 120_000;

/** The definitions of the project. */
export const RUN_DEMO = join(CHECKOUT, "test/support/run-demo/definitions");

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
}

/** Starts a server for the tests of this file. */
export function runDemo(definitions = RUN_DEMO): RunDemo {
  const cleaning: (() => void)[] = [];
  let root = "";
  let server: Served;
  beforeAll(async () => {
    root = await generatedRoot(definitions, (one) => void cleaning.push(one));
    server = await serve(root);
  }, SLOW);
  afterAll(async () => {
    await server.close();
    for (const one of cleaning) one();
  });
  const run = async (command: string): Promise<Reply> => {
    const result = await server.client.callTool({ name: "run", arguments: { command } });
    const [block] = result.content;
    if (block?.type !== "text" || result.content.length !== 1) throw new Error("not one text block");
    expect(result.structuredContent).toBeUndefined();
    return { text: block.text, isError: result.isError === true };
  };
  const ending =
    (failed: boolean) =>
    async (command: string): Promise<string> => {
      const { text, isError } = await run(command);
      expect(isError, text).toBe(failed);
      return text;
    };
  return { root: () => root, server: () => server, ok: ending(false), bad: ending(true) };
}
