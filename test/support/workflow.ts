/** Runs the steps of a workflow or an action of GitHub as its runner does: conditions, expressions, environment, outputs. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import type { Json } from "./project.js";

/** What expressions name, beside `steps`, `env` and functions. */
export interface WorkflowContext {
  readonly github?: Json;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** A step that was run. */
export interface RanStep {
  readonly name: string;
  readonly status: number | null;
  readonly output: string;
}

/** Where steps run. */
export interface StepRunner {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly context: WorkflowContext;
  /** Environment and folder of all steps. */
  readonly job?: Json;
}

/** The value of an expression. Its operators mean in JavaScript what they mean here. */
function evaluated(expression: string, context: Json, failed: boolean, folder: string): unknown {
  const functions = {
    always: () => true,
    success: () => !failed,
    // Patterns here are FOLDER/*.EXTENSION.
    hashFiles: (pattern: string) =>
      readdirSync(join(folder, dirname(pattern)))
        .filter((name) => extname(name) === extname(pattern))
        .join(),
    format: (text: string, ...values: readonly string[]) =>
      text.replace(/\{(\d)\}/g, (_, i) => values[Number(i)] ?? ""),
  };
  const names = { ...functions, ...context };
  const code = expression.replace(/\.([a-z]+-[a-z-]+)/g, "['$1']");
  return new Function(...Object.keys(names), `return (${code})`)(...Object.values(names));
}

/** A variable that is not set equals an empty text in expressions. */
const UNSET = { TOOLWRIGHT_STATE: "" };

/** Runs the steps that have a command. A failed step ends the job, but for steps whose condition is `always()`. */
export function runSteps(steps: readonly Json[], { folder, env, context, job = {} }: StepRunner): readonly RanStep[] {
  const ran: RanStep[] = [];
  const outputs: Json = Object.fromEntries(steps.filter(({ id }) => id).map(({ id }) => [id, { outputs: {} }]));
  let failed = false;
  const filled = (value: unknown): string =>
    String(value ?? "").replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) =>
      String(evaluated(expression, { ...names(), env: {} }, failed, folder) ?? ""),
    );
  const names = (): Json => ({ github: {}, secrets: {}, inputs: {}, ...context, steps: outputs });
  for (const step of steps) {
    const values = Object.fromEntries(
      Object.entries({ ...job.env, ...step.env }).map(([name, value]) => [name, filled(value)]),
    );
    const isHeld = evaluated(step.if ?? "true", { ...names(), env: { ...UNSET, ...env, ...values } }, failed, folder);
    if (!step.run || !isHeld || (failed && !String(step.if).includes("always()"))) continue;
    const output = join(mkdtempSync(join(tmpdir(), "toolwright-test-")), "output");
    writeFileSync(output, "");
    const done = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd: join(folder, filled(step["working-directory"] ?? job.defaults?.run["working-directory"] ?? ".")),
      env: { ...env, ...values, GITHUB_OUTPUT: output },
      encoding: "utf8",
    });
    for (const [, name = "", value] of readFileSync(output, "utf8").matchAll(/^(\w+)=(.*)$/gm))
      outputs[step.id].outputs[name] = value;
    ran.push({ name: step.name, status: done.status, output: done.stdout + done.stderr });
    failed ||= done.status !== 0 && step["continue-on-error"] !== true;
  }
  return ran;
}
