// For `NODE_OPTIONS=--import`: at exit, writes the CommonJS files that the process has loaded to $LOADED_FILE.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { cache } = createRequire(import.meta.url);
process.on("exit", () => writeFileSync(process.env.LOADED_FILE, JSON.stringify(Object.keys(cache))));
