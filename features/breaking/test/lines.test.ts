/** Lines of findings: each way in which a source defines a tool, and text that only looks like a definition. */

import { describe, expect, test } from "vitest";
import { makeFinding } from "../finding.js";
import { withLines } from "../lines.js";

const about = { op: "shop.order.list", tool: "list_orders", file: "definitions/x" };
const finding = makeFinding(about, { rule: "tool-added" });
const placed = (text: string | undefined): readonly [number, number] => {
  const [one] = withLines([finding], () => text);
  return [one?.line ?? -1, one?.column ?? -1];
};

describe("a tool is found where it is defined", () => {
  test.each([
    ["an array in TypeScript", 'const A = [\n  { function: { name: "list_orders" } }\n];', [2, 17]],
    ["a template without parts", "[{ name: `list_orders` }]", [1, 4]],
    ["a snapshot", '{ "tools": [\n {\n  "name": "list_orders" }]}', [3, 4]],
    ["a snapshot on one line", '{"tools":[{"name":"a"},{"name":"list_orders"}]}', [1, 26]],
    ["a typed function", "\n\nexport async function list_orders() {}", [3, 14]],
    ["a function in a constant", "export const list_orders = () => 1;", [1, 8]],
    ["an operation in YAML", "get:\n  operationId: list_orders\n", [2, 3]],
    ["an operation in JSON", '{ "operationId": "list_orders" }', [1, 4]],
    ["behind another whose name begins so", 'name: "list_orders_all"\nname: "list_orders"', [2, 1]],
  ])("as %s", (_, text, place) => {
    expect(placed(text)).toEqual(place);
  });

  test.each([
    ["a file that is gone", undefined],
    ["a name that is put together", 'name: "list_" + "orders"'],
    ["a text that speaks of it", '// see list_orders\ndescription: "list_orders lists"'],
  ])("%s: no line", (_, text) => {
    expect(placed(text)).toEqual([0, 0]);
  });

  test("a name of marks that mean something in a pattern", () => {
    const odd = makeFinding({ ...about, tool: "a.b(c)*" }, { rule: "tool-added" });
    expect(withLines([odd], () => 'name: "axb(c)*"\nname: "a.b(c)*"')[0]).toMatchObject({ line: 2, column: 1 });
  });

  test("a finding that has a place keeps it", () => {
    const own = makeFinding({ ...about, line: 7, column: 3 }, { rule: "tool-added" });
    expect(withLines([own], () => 'name: "list_orders"')).toEqual([own]);
  });
});
