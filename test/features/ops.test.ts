/** Ops that features add to a project as it is opened, and what features check in `toolwright doctor`. */

import { expect, test } from "vitest";
import type { Project } from "../../runtime/catalog/project.js";
import type { Tool } from "../../runtime/contract/registry.js";
import type { Validator } from "../../runtime/contract/validation.js";
import {
  addedWarnings,
  type ExtendedProject,
  generatedTools,
  type OpCalls,
  type OpsFeature,
  withAddedHandlers,
  withFeatureOps,
} from "../../runtime/gateway/added-ops.js";
import { type DoctorPart, featureFindings } from "../../runtime/gateway/doctor-part.js";
import type { OpenedProject } from "../../runtime/gateway/project.js";
import { TOOLS } from "../runtime/gateway/fixture-tools.js";

const [GENERATED] = TOOLS as readonly [Tool];
const CALLS = {} as OpCalls;
const CONFIG = { sources: [] };
const accepts: Validator = () => true;

const project = {
  registry: { ir_version: 1, registry_version: "1", tools: [GENERATED], packs: [], reserved: [] },
  helpOf: () => undefined,
  validators: async () => new Map(),
  handler: async (op: string) => `generated ${op}` as never,
} as unknown as Project;

/** A feature that adds one op, whose handler says who made it. */
const adding = (name: string): OpsFeature => {
  const tool = { ...GENERATED, op: `${name}.op`, group: name };
  return {
    name,
    ops: async () => async () => ({
      tools: new Map([[tool.op, { tool, help: undefined, validator: accepts }]]),
      packs: [{ name, summary: "", source: "local", entities: {}, topics: [] }],
      warnings: [`${name} warns`],
      handlers: (calls) => async (op) => `${name} ${op} ${calls() === CALLS}` as never,
    }),
  };
};

/** A feature that finds no ops. */
const IDLE: OpsFeature = { name: "idle", ops: async () => async () => undefined };

test("ops of features are in the registry, with their validators and the handlers of the gateway", async () => {
  const features = [adding("zoo"), { name: "none" }, IDLE, adding("ant")];
  const opened: ExtendedProject = await withFeatureOps(project, { features, config: CONFIG });
  const { registry } = opened;
  expect(registry.tools.map(({ op }) => op)).toEqual([GENERATED.op, "ant.op", "zoo.op"].sort());
  expect(registry.packs.map(({ name }) => name)).toEqual(["ant", "zoo"]);
  expect(registry.registry_version).toMatch(/^1\+[0-9a-f]{12}\+[0-9a-f]{12}$/);
  expect([...(await opened.validators("ant"))]).toEqual([["ant.op", accepts]]);
  expect(generatedTools(opened)).toEqual([GENERATED]);
  expect(addedWarnings(opened)).toEqual(["zoo warns", "ant warns"]);
  const bound = withAddedHandlers(opened, () => CALLS);
  expect(await Promise.all(["ant.op", "zoo.op", GENERATED.op].map((op) => bound.handler(op)))).toEqual([
    "ant ant.op true",
    "zoo zoo.op true",
    `generated ${GENERATED.op}`,
  ]);
});

test("a project to which nothing is added stays as it is", async () => {
  const opened = await withFeatureOps(project, { features: [IDLE], config: CONFIG });
  expect(opened).toBe(project);
  expect(withAddedHandlers(opened, () => CALLS)).toBe(project);
});

test("features check a project one after the other, in their order", async () => {
  const found =
    (what: string): DoctorPart =>
    async (one) => [{ what, ok: true, found: String(one === project) }];
  const features = [
    { name: "a", doctor: async () => found("a") },
    { name: "b" },
    { name: "c", doctor: async () => found("c") },
  ];
  expect(await featureFindings(features, project as OpenedProject)).toEqual([
    { what: "a", ok: true, found: "true" },
    { what: "c", ok: true, found: "true" },
  ]);
});
