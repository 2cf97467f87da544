/** Tools of a module as a user runs them: `generate`, and an MCP client. The module is that of the golden case. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { moduleRoot } from "../../support/modules.js";
import { CHECKOUT, type Json, type Served, serve, toolwright } from "../../support/project.js";

const CASE = join(CHECKOUT, "test", "cases", "modules", "definitions");
const textOf = (file: string): string => readFileSync(join(CASE, file), "utf8");

let served: Served;
const cleanings: (() => void)[] = [];
beforeAll(async () => {
  const files = Object.fromEntries(["toolwright.yaml", "tools.ts", "shapes.ts"].map((file) => [file, textOf(file)]));
  const root = moduleRoot(files, { remove: (clean) => void cleanings.push(clean) });
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  served = await serve(root, ["--allow-write"]);
});
afterAll(async () => {
  await served?.close();
  for (const clean of cleanings) clean();
});

const call = async (op: string, args: object = {}): Promise<Json> =>
  (await served.call("tool_exec", { op: `shop.${op}`, args })).value;
const result = async (op: string, args: object = {}): Promise<Json> => (await call(op, args)).result;

describe("handlers get what their library gives them", () => {
  test("Zod in the form of the AI SDK: transforms, defaults of the library, and options", async () => {
    // The default of `isRead` is true while the module is read, and false in the server.
    const [options, isRead] = [["string", true], false];
    expect(await result("order.get", { number: "a-1" })).toEqual({ number: "A-1", detail: "short", isRead, options });
    expect(await result("order.get", { number: "a-1", detail: "long" })).toEqual({
      number: "A-1",
      detail: "long",
      isRead,
      options,
    });
  });

  test("Valibot, ArkType, TypeBox, Zod mini, and a tool without arguments", async () => {
    expect(await result("order.list")).toEqual({ limit: 20 });
    expect(await result("order.create", { item: "pen", count: 2 })).toEqual({ item: "pen", count: 2, traced: true });
    expect(await result("order.delete", { number: "A-1" })).toEqual({ number: "A-1" });
    expect(await result("get_stock", { item: "pen" })).toEqual({ item: "pen" });
    expect(await result("get_status")).toEqual({ open: true });
  });

  test("LangChain parses once, by itself", async () => {
    expect(await result("search_items", { query: "pens" })).toBe("found PENS");
  });

  test("`jsonSchema()` of the AI SDK with its own check; of a generator, the last result counts", async () => {
    expect(await result("get_price", { item: "pen" })).toEqual({ item: "pen", read: true, step: 2 });
    expect((await call("get_price", { item: "none" })).error).toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("no such item"),
    });
  });
});

describe("a server of the MCP SDK", () => {
  test("answers over the protocol, as an upstream server does", async () => {
    expect(await result("track_parcel", { parcel: "p-1" })).toEqual({ parcel: "P-1", place: "Rome" });
    expect(await result("send_parcel")).toBe("sent");
    expect((await call("track_parcel", { parcel: "gone" })).error).toMatchObject({
      code: "INTERNAL",
      message: "the parcel is lost",
      details: { reason: "tool_error" },
    });
    expect((await call("track_parcel", { parcel: 1 })).error).toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

describe("arguments are checked as those of every op", () => {
  test.each([
    ["order.get", { number: "" }, "number"],
    ["order.create", { item: "pen", count: 10 }, "count"],
    ["order.delete", { number: 5 }, "number"],
    ["search_items", { query: "p" }, "query"],
  ])("%s refuses %j", async (op, args, path) => {
    const { error } = await call(op, args);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", details: { field_errors: [{ path }] } });
  });

  test("hints of the definition are those of the op", async () => {
    const { tools } = JSON.parse(readFileSync(join(CASE, "..", "expected", "registry.json"), "utf8")) as Json;
    const hintsOf = (name: string) => tools.find(({ tool_name }: Json) => tool_name === name).annotations;
    expect(hintsOf("list_orders")).toMatchObject({ title: "Orders", readOnlyHint: true });
    expect(hintsOf("create_order")).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hintsOf("delete_order")).toMatchObject({ destructiveHint: true });
  });
});
