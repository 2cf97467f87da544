/** Emits `stubs.pyi`: Python signatures of every op, for type checks of `run()` code and for readers. */

import { pythonStubs } from "../../runtime/contract/python-stubs.js";
import { header } from "../core/printer.js";
import { type Emitter, sourcesOf } from "./emitter.js";

/** Emits `stubs.pyi`. */
export const stubs: Emitter = {
  name: "stubs",
  emit: (registry) => [
    { path: "stubs.pyi", text: `${header("#", sourcesOf(registry))}${pythonStubs(registry.tools).text}` },
  ],
};
