/** Tools of modules that JSON Schema alone does not describe: refinements of a library, transforms with a default. */

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { callableTool } from "../../../runtime/call/tool-objects.js";
import type { Context } from "../../../runtime/contract/handler.js";

const CTX = { traceId: "tr_1", signal: new AbortController().signal } as Context;
const called = async (tool: object, args: object): Promise<unknown> => {
  const module = { all: [{ name: "a", description: "A.", ...tool }] };
  const { call } = await callableTool(module, { export: "all", tool: "a" }, "tools.ts");
  return call(args as never, CTX);
};

describe("what the library says after JSON Schema", () => {
  test("a refinement is a VALIDATION_ERROR that names the argument", async () => {
    const inputSchema = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from < to, { path: ["to"], error: "must be later" });
    await expect(called({ inputSchema, execute: () => 1 }, { from: 2, to: 1 })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: "The schema of the tool refuses the arguments: to: must be later",
    });
  });

  test("a default that stands after a transform is not transformed", async () => {
    const text = z
      .string()
      .transform((one) => `<${one}>`)
      .default("none");
    const tool = { inputSchema: z.object({ text }), handler: (args: object) => args };
    expect(await called(tool, {})).toEqual({ text: "none" });
    expect(await called(tool, { text: "a" })).toEqual({ text: "<a>" });
  });

  test("the handler is called as a method of its tool", async () => {
    const tool = {
      prefix: "p",
      run(this: { prefix: string }, { a }: { a: string }) {
        return this.prefix + a;
      },
    };
    expect(await called({ ...tool, inputSchema: {} }, { a: "1" })).toBe("p1");
  });

  test("a tool that is gone names its file and the remedy", async () => {
    await expect(callableTool({ all: [] }, { export: "all", tool: "a" }, "tools.ts")).rejects.toThrow(
      'tools.ts exports no tool a in all: run "toolwright generate"',
    );
    await expect(callableTool({}, { export: "constructor", tool: "name" }, "tools.ts")).rejects.toThrow(
      "exports no tool",
    );
  });
});
