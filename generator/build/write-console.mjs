// Writes the console's pages beside the built package: a step of `npm run build`.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeConsole } from "./console-files.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
await writeConsole(root, join(root, "dist", "console"));
