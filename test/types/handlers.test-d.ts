/** The types of handlers: what compiles, and what does not. */

import { type ArgsOf, type Bound, type Context, unbound } from "toolwright/codegen";
import { describe, expectTypeOf, test } from "vitest";
import type { Handlers, OntoHandlers, UtilHandlers } from "../../generated/handlers.js";
import type { ops } from "../../generated/ops.js";
import type { ontoTaskList, registry } from "../../generated/registry.js";
import type { OntoTaskListArgs } from "../../generated/types.js";

type ArgsIn<B> = B extends Bound<infer A, unknown> ? A : never;

describe("handlers", () => {
  test("the type is total over the ops", () => {
    type Own = Extract<keyof typeof ops, `onto.${string}` | `util.${string}`>;
    expectTypeOf<keyof Handlers>().toEqualTypeOf<Own>();
    expectTypeOf<keyof OntoHandlers | keyof UtilHandlers>().toEqualTypeOf<Own>();
  });

  test("arguments with a default are always there, the others may be absent", () => {
    type Args = ArgsIn<OntoHandlers["onto.task.list"]>;
    expectTypeOf<Args["limit"]>().toEqualTypeOf<number>();
    expectTypeOf<Args["project_id"]>().toEqualTypeOf<string | undefined>();
  });

  test("unbound stands for any handler, a handler of other arguments does not", () => {
    expectTypeOf(unbound("handlers.ts")).toExtend<OntoHandlers["onto.task.create"]>();
    type Other = (args: { readonly address: string }, ctx: Context) => Promise<string>;
    expectTypeOf<Other>().not.toExtend<OntoHandlers["onto.task.create"]>();
  });
});

test("descriptors carry the types of their op", () => {
  expectTypeOf<ArgsOf<typeof ontoTaskList>>().toEqualTypeOf<OntoTaskListArgs>();
  expectTypeOf<keyof (typeof registry)["tools"]>().toEqualTypeOf<keyof typeof ops>();
});
