// For `NODE_OPTIONS=--import`: at exit, writes the files of OpenTelemetry that the process has loaded to
// $LOADED_FILE.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { cache } = createRequire(import.meta.url);
process.on("exit", () => {
  const loaded = Object.keys(cache);
  const ours = loaded.filter((file) => file.includes("@opentelemetry"));
  writeFileSync(process.env.LOADED_FILE, JSON.stringify({ all: loaded.length, ours }));
});
