// Bare pyodide: one lasting child from a memory snapshot, with fresh globals for each run and no lockdown. If there
// is no snapshot at the given path, it makes one and ends.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [file] = process.argv.slice(2);
if (!existsSync(file)) {
  const python = await loadPyodide({ _makeSnapshot: true });
  writeFileSync(file, python.makeMemorySnapshot());
  process.exit(0);
}
const python = await loadPyodide({ _loadSnapshot: readFileSync(file) });
process.on("message", ({ id, code }) => {
  const globals = python.toPy({});
  process.send({ id, output: python.runPython(code, { globals }) });
  globals.destroy();
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });
