/** `stubs.pyi`: Python signatures of every op, for type checks of `run()` code and for people. */

import { pythonStubs } from "toolwright/codegen";
import type { Emitter } from "./emitter.js";
import { header } from "./printer.js";
import { sourcesOf } from "./sources-of.js";

/** Emits `stubs.pyi`. */
export const stubs: Emitter = {
  name: "stubs",
  emit: (registry) => [
    { path: "stubs.pyi", text: `${header("#", sourcesOf(registry))}${pythonStubs(registry.tools).text}` },
  ],
};
