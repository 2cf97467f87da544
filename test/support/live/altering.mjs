/**
 * Stands before an MCP server on stdio: `node altering.mjs CHANGE_FILE COMMAND ARGS…`. It declares no results, and changes those of the
 * tool that the file names, `{ tool, path, kind }`. The tool of each changed result is added to the file `CHANGE_FILE.done`, a line each.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [changeFile, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const called = new Map();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "tools/call") called.set(id, params.name);
    child.stdin.write(`${line}\n`);
  })
  .on("close", () => child.stdin.end());

createInterface({ input: child.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  for (const tool of message.result?.tools ?? []) delete tool.outputSchema;
  const tool = called.get(message.id);
  if (tool !== undefined && message.result) change(tool, message.result);
  process.stdout.write(`${JSON.stringify(message)}\n`);
});
child.once("exit", (code) => process.exit(code ?? 1));

function change(tool, result) {
  const wanted = JSON.parse(readFileSync(changeFile, "utf8"));
  if (wanted.tool !== tool || result.isError || !result.structuredContent) return;
  const names = wanted.path.slice(0, -1);
  const key = wanted.path.at(-1);
  const object = names.reduce((inner, name) => inner?.[name], result.structuredContent);
  if (object?.[key] === undefined) return;
  const old = object[key];
  if (wanted.kind === "retyped") object[key] = typeof old === "object" && old !== null ? "text" : { other: 1 };
  else delete object[key];
  if (wanted.kind === "renamed") object[`${key}New`] = old;
  appendFileSync(`${changeFile}.done`, `${tool}\n`);
}
