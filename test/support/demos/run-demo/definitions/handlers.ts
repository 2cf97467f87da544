/** Handlers of the pack `demo`, on which tests of `run` call. */

import { fail } from "toolwright/codegen";
import type { DemoHandlers } from "../generated/handlers.js";

export const handlers: DemoHandlers = {
  "demo.search": async ({ query, count }) => ({ query, count }),
  "demo.bounce": async ({ text }) => text,
  "demo.big": async ({ n }) => Array.from({ length: n }, (_, i) => `line${i}`).join("\n"),
  "demo.none": async () => null,
  "demo.boom": async () => fail("INTERNAL", "kaput", { exception: "KeyError" }),
};
