/** Typed functions as a user runs them: a file in `packs/`, `generate`, and an MCP client. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { exec } from "../../support/http-api.js";
import { generatedRoot, type Json, type Served, serve, temporaryFolder } from "../../support/project.js";

const SOURCE = `
import { type Context, fail } from "toolwright/codegen";
import { shout } from "../shared/shout.js";

/** Greets. */
export async function getGreeting(args: { name: string; times?: number }, ctx: Context): Promise<string> {
  ctx.warn("told: you");
  return shout(args.name).repeat(args.times ?? 1) + ctx.principal.id.length;
}

/** Adds. @kind read */
export const addUp = (a: number, b = 2, ctx?: Context): { sum: number; at: Date; traced: boolean } => ({
  sum: a + b,
  at: new Date(0),
  traced: ctx?.traceId !== undefined,
});

/** Says who calls. */
export function getCaller(ctx: Context): string {
  return typeof ctx.traceId;
}

/** Takes an object with hostile names. @kind read */
export function echoAll(args: { toString?: string; constructor?: string }): unknown {
  return Object.keys(args);
}

/** Fails. */
export function getLost(id: string): never {
  return fail("NOT_FOUND", "there is no " + id, { kind: "thing", id });
}

/** Breaks. */
export async function getBroken(): Promise<string> {
  throw new Error("a stack that is not shown");
}

/** Gives a circle. */
export function getCircle(): unknown {
  const circle: Record<string, unknown> = {};
  circle["a"] = circle;
  circle["b"] = circle;
  return circle;
}

/** Writes. */
export async function saveIt(): Promise<void> {}

/** Draws a number. @kind write */
export async function drawNumber(from: number, ctx: Context): Promise<{ number: number; inside: boolean }> {
  return { number: from + Math.random(), inside: ctx.tx !== undefined };
}

export const bindings = {
  drawNumber: {
    transactional: true,
    plan: async (from: number, ctx: Context) => ({ from, inside: ctx.tx !== undefined }),
    keep: ({ inside }: { inside: boolean }) => ({ inside }),
  },
};
`;

describe("through an MCP client", () => {
  let root: string;
  const cleanings: (() => void)[] = [];
  const later = (clean: () => void): void => void cleanings.push(clean);
  afterAll(() => {
    for (const clean of cleanings) clean();
  });
  beforeAll(async () => {
    const definitions = join(temporaryFolder(later), "definitions");
    mkdirSync(join(definitions, "packs"), { recursive: true });
    mkdirSync(join(definitions, "shared"));
    writeFileSync(join(definitions, "toolwright.yaml"), "use: []\nsources:\n  - functions: packs/*.ts\n");
    writeFileSync(join(definitions, "packs", "demo.ts"), SOURCE);
    writeFileSync(
      join(definitions, "shared", "shout.ts"),
      "export const shout = (text: string): string => text.toUpperCase();\n",
    );
    root = await generatedRoot(definitions, later);
  });

  const opened = async (): Promise<Served> => {
    const served = await serve(root, ["--allow-write"]);
    onTestFinished(() => served.close());
    return served;
  };

  test("functions of every form are their own handlers", async () => {
    const served = await opened();
    const call = async (op: string, args: object = {}): Promise<Json> =>
      (await served.call("tool_exec", { op, args })).value;
    expect(await call("demo.getGreeting", { name: "bo", times: 2 })).toMatchObject({
      result: "BOBO5",
      meta: { warnings: ["told: you"] },
    });
    expect((await call("demo.addUp", { a: 1 })).result).toEqual({
      sum: 3,
      at: "1970-01-01T00:00:00.000Z",
      traced: true,
    });
    expect((await call("demo.addUp", { b: 5, a: 1 })).result.sum).toBe(6);
    expect((await call("demo.getCaller")).result).toBe("string");
    expect((await call("demo.saveIt")).result).toBeNull();
    expect((await call("demo.addUp", { a: "1" })).error).toMatchObject({ code: "VALIDATION_ERROR" });
    expect((await call("demo.addUp", { a: 1, c: 1 })).error).toMatchObject({ code: "VALIDATION_ERROR" });
    const hostile = await served.call("tool_exec", {
      op: "demo.echoAll",
      args: { constructor: "c" },
    });
    expect([...hostile.value.result].sort()).toEqual(["constructor"]);
  });

  test("bindings say how a function is bound: its dry run, its transaction, what is stored of a one-time answer", async () => {
    const served = await opened();
    const draw = async (more: object = {}): Promise<Json> =>
      (await served.call("tool_exec", { op: "demo.drawNumber", args: { from: 3 }, ...more })).value;
    expect((await draw({ dry_run: true })).result).toEqual({ dry_run: true, from: 3, inside: true });
    const first = await draw({ idempotency_key: "k" });
    expect(first.result).toMatchObject({ number: expect.any(Number), inside: true });
    const again = await draw({ idempotency_key: "k" });
    expect(again.error).toMatchObject({
      code: "CONFLICT",
      details: { reason: "told_once", earlier: { inside: true } },
    });
    expect(JSON.stringify(again)).not.toContain(String(first.result.number));
  });

  test("a failure has its code, a throw is INTERNAL and says nothing", async () => {
    const served = await opened();
    const lost = (await served.call("tool_exec", { op: "demo.getLost", args: { id: "x" } })).value;
    expect(lost.error).toMatchObject({ code: "NOT_FOUND", message: "there is no x" });
    const broken = (await served.call("tool_exec", { op: "demo.getBroken", args: {} })).value;
    expect(broken.error.code).toBe("INTERNAL");
    expect(JSON.stringify(broken)).not.toContain("stack");
    const circle = (await served.call("tool_exec", { op: "demo.getCircle", args: {} })).value;
    expect(circle.error.code).toBe("INTERNAL");
  });

  test("a function that is gone since `generate` is named", async () => {
    writeFileSync(join(root, "definitions", "packs", "demo.ts"), SOURCE.replace("function saveIt", "function keepIt"));
    onTestFinished(() => writeFileSync(join(root, "definitions", "packs", "demo.ts"), SOURCE));
    expect((await exec(root, "demo.saveIt")).error.code).toBe("INTERNAL");
  });
});
