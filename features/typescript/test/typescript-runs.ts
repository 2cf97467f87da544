/** TypeScript for tests: its compiler and its engine, fake tools, and runs of code. */

import { afterAll, beforeAll, vi } from "vitest";
import type { Limits } from "../../../runtime/config/run-settings.js";
import type { DeliveryLog, RunOrigin } from "../../../runtime/run/engine/delivery-log.js";
import { HostError } from "../../../runtime/run/engine/engine.js";
import type { Data, HostCall, Interpreter, RunOutcome, Scope } from "../../../runtime/run/languages/language.js";
import { bareNames } from "../../../runtime/run/names.js";
import { toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { dict, keyword, LIMITS } from "../../../test/support/run/python.js";
import { type FakeOp, namespaceOf } from "../../../test/support/run/run-engine.js";
import { TYPESCRIPT } from "../language.js";

/** Ops that every program has: an echo, a pause, a failure. */
const OPS: Readonly<Record<string, FakeOp>> = {
  "demo.echo": (call) => keyword(call, "value") ?? null,
  "demo.count": () => dict({ count: 1 }),
  "demo.fail": () => {
    throw new HostError("RuntimeError", "it has failed");
  },
};

const SCHEMA = { type: "object", properties: { value: {} }, additionalProperties: false } as const;
const TOOLS = Object.keys(OPS).map((op) =>
  toolOf({ op, tool: op.replace(".", "_"), kind: "read", schema: SCHEMA as never }),
);

const SCOPE: Scope = {
  ops: TOOLS,
  hidden: new Set(),
  names: { aliases: new Map(), packs: new Set(["demo"]), bare: bareNames(TOOLS.map(({ op }) => ({ path: op }))) },
  projects: new Map(),
};

/** What a test asks for. */
export interface AskedOfTypescript {
  readonly limits?: Partial<Limits>;
  readonly ops?: Readonly<Record<string, FakeOp>>;
  readonly signal?: AbortSignal;
  /** Another run of the program, which it repeats. */
  readonly repeat?: { readonly origin: RunOrigin; readonly log: DeliveryLog };
}

/** How a program ended; `refused` if it did not run. */
export type TypescriptOutcome = (
  | RunOutcome
  | {
      readonly ok: false;
      readonly kind: "refused";
      readonly name: string;
      readonly message: string;
      readonly hints: readonly string[];
    }
) & {
  readonly printed: string;
  readonly calls: readonly HostCall[];
};

/** Reads and runs TypeScript in one process, for the tests of a file. */
export function typescriptRuns(instances = 1): (code: string, asked?: AskedOfTypescript) => Promise<TypescriptOutcome> {
  vi.setConfig({ testTimeout: 120_000 }); // processes start late where others use the machine too
  let interpreter: Interpreter;
  beforeAll(() => {
    interpreter = TYPESCRIPT.open("/nowhere", { instances });
  });
  afterAll(() => interpreter.close());
  return async (code, { limits: given = {}, ops = {}, signal, repeat } = {}) => {
    const limits = { ...LIMITS, ...given };
    const bounds = { limits: { ...limits, cpuMs: 20_000 } };
    const program = await interpreter.read("code", code, SCOPE, bounds);
    if (program.kind === "fault")
      return { ...program, ok: false, kind: "refused", name: program.type, printed: "", calls: [] };
    const namespace = namespaceOf({ ...OPS, ...ops });
    let printed = "";
    const outcome = await interpreter.run({
      owner: "test",
      code: program.code,
      namespace,
      limits,
      ...(signal ? { signal } : {}),
      ...repeat,
      onPrint: (text) => {
        printed += text;
      },
    });
    return { ...outcome, printed, calls: namespace.calls };
  };
}

/** What a program gives: its output, then its value as JSON, or the failure. */
export function givenBy(outcome: TypescriptOutcome): string {
  if (!outcome.ok) return `${outcome.printed}${outcome.name}: ${outcome.message}`;
  return `${outcome.printed}${outcome.outcome === "novalue" ? "" : outcome.json}`;
}

export type { Data };
