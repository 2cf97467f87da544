/** A gateway that notes what calls do, and what it notes for one call. */

import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Bound, JsonObject, JsonValue, Validator } from "toolwright/codegen";
import type { Envelope } from "../../runtime/contract/error-body.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { State } from "../../runtime/state/open.js";
import { fixture, handler, principal } from "../runtime/gateway/fixture.js";
import { isObject } from "./model.js";

/** What a call did: which handler got which arguments, whether for a dry run, and under which key. */
export interface Effect {
  readonly op: string;
  readonly args: JsonObject;
  readonly dryRun: boolean;
  readonly key: string | undefined;
}

/** The answer to one call, and what the call did. */
export interface Observed {
  readonly envelope: Envelope;
  readonly effect: Effect | undefined;
}

/** Makes calls and notes their effects. */
export interface Observer {
  call(call: JsonValue): Promise<Observed>;
  batch(entry: JsonValue): Promise<Observed>;
}

const ajv = new Ajv2020({ allErrors: true, strict: false, inlineRefs: false, validateSchema: false });
formats.default(ajv as never);

/** A gateway over a registry whose handlers do nothing. */
export function observe(registry: Registry): Observer {
  const done: { op: string; args: JsonObject }[] = [];
  const keys: string[] = [];
  const compiled = new Map<string, Validator>();
  for (const { op, parameters_schema } of registry.tools)
    compiled.set(op, ajv.compile(parameters_schema) as unknown as Validator);
  const noop = (op: string): Bound<never, unknown> =>
    handler(async (args) => {
      done.push({ op, args });
      return {};
    });
  const { gateway } = fixture({
    project: {
      registry,
      helpOf: () => undefined,
      validators: async () => compiled,
      handler: async (op) => (compiled.has(op) ? noop(op) : undefined),
    },
    settings: { aliases: new Map(), synonyms: new Map(), ops: new Map() },
    options: {
      openState: async () =>
        ({ transaction: async (_: string, work: (tx: never) => unknown) => work({} as never) }) as unknown as State,
      ledger: {
        reserve: async (_, { key }) => void keys.push(key),
        takeOver: async () => undefined,
        renew: async () => undefined,
        succeed: async () => undefined,
        release: async () => undefined,
      },
    },
  });
  const effectOf = (envelope: Envelope): Effect | undefined => {
    const [made] = done.splice(0);
    const [key] = keys.splice(0);
    if (made) return { ...made, dryRun: false, key };
    if (!envelope.ok || !isObject(envelope.result) || !isObject(envelope.result["would_call"])) return undefined;
    const { args } = envelope.result["would_call"];
    const op = envelope.meta.executed_op ?? envelope.op;
    return { op, args: isObject(args) ? args : {}, dryRun: true, key: undefined };
  };
  return {
    async call(call) {
      const envelope = await gateway.dispatch(call, principal());
      return { envelope, effect: effectOf(envelope) };
    },
    async batch(entry) {
      const answer = await gateway.batch({ ops: [entry] }, principal());
      if ("error" in answer) throw new Error(answer.error.message);
      const envelope = answer.results[0] as unknown as Envelope;
      return { envelope, effect: effectOf(envelope) };
    },
  };
}
