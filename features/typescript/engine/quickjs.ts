/** The QuickJS engine: QuickJS in WebAssembly, in isolated processes whose memory is put back after each run. */

import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { IDLE_MS } from "../../../runtime/run/engine/idle-timer.js";
import { createPooledEngine, type PooledEngine } from "../../../runtime/run/engine/pooled-engine.js";
import { soleProgram } from "../../../runtime/run/engine/program.js";
import type { ProcessSetup } from "../../../runtime/run/engine/run-process.js";
import type { ProcessDialect } from "../../../runtime/run/engine/run-session.js";
import type { Data, InterpreterSettings } from "../../../runtime/run/languages/language.js";

/** Memory of one process. */
const PROCESS_BYTES = 120_000_000;
const CHILD = ["./quickjs-child.mjs", "./quickjs-child.mts"];

/** How a process is started. */
async function prepare(): Promise<ProcessSetup> {
  const entry = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/emscripten-module");
  const folder = `${dirname(realpathSync(entry))}/`;
  const program = await soleProgram("quickjs-child", CHILD, import.meta.url);
  return { program, args: [folder], cwd: folder, readable: [folder] };
}

/** Creates the engine of QuickJS; starts nothing. */
export const createQuickJs = (
  { instances = 8, instanceRuns = 1000 }: InterpreterSettings = {},
  idleMs = IDLE_MS,
): PooledEngine =>
  createPooledEngine({ prepare, processBytes: PROCESS_BYTES, instances, instanceRuns, idleMs }, QUICKJS_DIALECT);

/** Steps from the value of an answer to one in it. */
type Way = readonly (string | number)[];

type Tagged = Extract<Data, { readonly $: string }>;

/** A value as JSON, and where it has integers that a number would round, with their digits. */
interface Plain {
  readonly v: unknown;
  readonly big?: readonly (readonly [Way, string])[];
}

function plainOf(value: Data): Plain {
  const big: [Way, string][] = [];
  const listOf = (items: readonly Data[], way: Way): unknown =>
    items.map((item, place) => plain(item, [...way, place]));
  const integer = (one: bigint, way: Way): number => {
    const number = Number(one);
    if (!Number.isSafeInteger(number)) big.push([way, String(one)]);
    return number;
  };
  const tagged = (one: Tagged, way: Way): unknown => {
    if ("items" in one) return listOf(one.items, way);
    if ("text" in one) return one.$ === "float" ? Number(one.text) : one.text;
    // Without a prototype: the key `__proto__` is a member like others.
    const members = Object.create(null) as Record<string, unknown>;
    for (const [key, item] of one.entries) members[String(key)] = plain(item, [...way, String(key)]);
    return members;
  };
  const plain = (one: Data, way: Way): unknown => {
    if (typeof one === "bigint") return integer(one, way);
    if (one === null || typeof one !== "object") return one;
    if (one instanceof Uint8Array) return Buffer.from(one).toString("base64");
    return "$" in one ? tagged(one, way) : listOf(one, way);
  };
  const v = plain(value, []);
  return big.length === 0 ? { v } : { v, big };
}

/** How QuickJS is told of answers. */
export const QUICKJS_DIALECT: ProcessDialect = {
  engine: "quickjs",
  process: "an interpreter of TypeScript",
  tooDeep: { kind: "runtime", name: "RangeError", message: "Maximum call stack size exceeded" },
  value: plainOf,
  failure(failure, path) {
    if (!failure) return { e: { message: `${path.join(".")} failed`, code: "INTERNAL", details: {} } };
    const { code, message, details } = failure;
    return { e: { message, code, details: plainOf(details).v } };
  },
};
