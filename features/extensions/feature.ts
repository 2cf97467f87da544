/** Tools of a project that need no build: files of `.onetool/tools/`, in Python or TypeScript. */

import type { Feature } from "../../core/feature.js";
import { EXTENSIONS_NAME } from "./name.js";

/** Extension tools. */
export const EXTENSIONS: Feature = {
  name: EXTENSIONS_NAME,
  ops: async () => (await import("./ops.js")).addExtensionTools,
  doctor: async () => (await import("./doctor.js")).checkExtensionTools,
};
