/** Outcomes of programs by the machine's `python3`: its tools are those of a server, called through `tool_exec`. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CHECKOUT, type Json, type Served } from "../../support/project.js";
import type { Outcome } from "../../support/run/programs.js";

const SCRIPT = join(CHECKOUT, "test/runtime/run/reference_programs.py");
/** The folder of `reference.py`, which the script imports. */
const REFERENCE = join(CHECKOUT, "test/support/run");

interface Op {
  readonly op: string;
  readonly tool_name: string;
  readonly parameters: readonly { readonly name: string; readonly original: string }[];
}

interface Call {
  readonly call: string;
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/**
 * Runs programs one after another.
 *
 * @param codes - the programs, with ids in place
 * @param server - whose tools they call
 * @throws Error with what Python wrote, if it ends early
 */
export async function programOutcomes(codes: readonly string[], server: Served): Promise<readonly Outcome[]> {
  const { tools }: { readonly tools: readonly Op[] } = JSON.parse(
    readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"),
  );
  const ops = new Map(tools.map((tool) => [tool.op, tool]));
  // Neither packages nor settings of the machine take part.
  const child = spawn("python3", ["-I", "-S", SCRIPT, REFERENCE], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let failure = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (failure += text));
  const say = (message: object): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  say({ ops: [...ops.keys()], plain: Object.fromEntries(tools.map(({ op, tool_name }) => [tool_name, op])) });
  const found: Outcome[] = [];
  const next = (): void => {
    const code = codes[found.length];
    if (code === undefined) child.stdin.end();
    else say({ run: code });
  };
  next();
  for await (const line of createInterface({ input: child.stdout })) {
    const told: Json = JSON.parse(line);
    if (told.done === undefined) say(await answered(told, ops.get(told.call), server));
    else {
      found.push(told.done);
      next();
    }
  }
  if (found.length !== codes.length) throw new Error(`python3 ended at program ${found.length}: ${failure}`);
  return found;
}

async function answered({ call, args, kwargs }: Call, tool: Op | undefined, server: Served): Promise<object> {
  const parameters = tool?.parameters ?? [];
  const full = (name: string): string => {
    const fitting = parameters.filter((one) => one.name.startsWith(name));
    const [one] = fitting.filter((each) => each.name === name).concat(fitting.length === 1 ? fitting : []);
    return one?.original ?? name;
  };
  const named = [
    ...args.map((value, i) => [parameters[i]?.original ?? String(i), value] as const),
    ...Object.entries(kwargs).map(([name, value]) => [full(name), value] as const),
  ];
  const { value } = await server.call("tool_exec", { op: call, args: Object.fromEntries(named) });
  return value.ok ? { value: value.result ?? null } : { error: value.error };
}
