/** The names under which each transport exposes the pack `oubliette`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Registry } from "../../../runtime/contract/registry.js";
import { exposedFaults, exposedNames } from "../../../runtime/contract/wire-names.js";
import { CHECKOUT } from "../../support/project.js";

const { tools } = JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8")) as Registry;
const named = (op: string) => ({ op: `oubliette.${op}`, group: "oubliette" });

test("[C2] two ops with one exposed name are a fault that names both", () => {
  expect(exposedFaults(exposedNames([named("a.b_go"), named("a_b.go")]))).toEqual([
    { op: "oubliette.a_b.go", reason: "oubliette_a_b_go is also the name of oubliette.a.b_go" },
  ]);
});

test.each(["tool_help", "tool_exec", "tool_batch"])("the name of the gateway tool %s is taken", (wire) => {
  expect(exposedFaults(exposedNames([named(wire.replace("_", "."))]))).toEqual([
    {
      op: `oubliette.${wire.replace("_", ".")}`,
      reason: `oubliette_${wire} is also the name of the gateway tool ${wire}`,
    },
  ]);
});

test("a wire name has 54 characters at most, and only such as clients accept", () => {
  expect(exposedFaults(exposedNames([named("a".repeat(54))]))).toEqual([]);
  expect(`oubliette_${"a".repeat(54)}`).toHaveLength(64);
  expect(exposedFaults(exposedNames([named("a".repeat(55))]))).toMatchObject([{ op: `oubliette.${"a".repeat(55)}` }]);
  expect(exposedFaults(exposedNames([named("a:b"), named("ä"), named("")]))).toHaveLength(3);
});

test("[C3] op to exposed to op is the identity, for every op that there is", () => {
  const table = exposedNames(tools);
  expect(exposedFaults(table)).toEqual([]);
  expect(table).toHaveLength(19 + 3);
  const byExposed = new Map(table.map(({ op, exposed }) => [exposed, op]));
  const byWire = new Map(table.map(({ op, wire }) => [wire, op]));
  for (const { op, wire, exposed } of table) {
    expect(byExposed.get(exposed)).toBe(op);
    expect(byWire.get(wire)).toBe(op);
  }
  expect(table[0]).toEqual({
    op: "oubliette.project.create",
    wire: "project_create",
    exposed: "oubliette_project_create",
  });
  const ops = table.flatMap(({ op }) => op ?? []);
  expect(ops).toEqual([...ops].sort());
});
