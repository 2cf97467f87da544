/** Which calls are counted. */

import { expect, test } from "vitest";
import type { CallOptions } from "../../../runtime/call/call.js";
import { ToolFailure } from "../../../runtime/codegen.js";
import type { CallEntry, Recorder } from "../../../runtime/contract/recorder.js";
import { fixture, principal } from "../../../test/runtime/gateway/fixture.js";
import { recorded } from "../recorded.js";

const question = new ToolFailure("UNAVAILABLE", "it asks", { server: "web", reason: "input_required" });
const inputRequired = { capabilities: {}, given: {}, end: () => undefined };

test("a call that ends with a question to its client is counted when it has a result, any other at once", async () => {
  const made: CallEntry[] = [];
  const recorder = { call: (entry: CallEntry) => void made.push(entry) } as Recorder;
  let failure: ToolFailure | undefined = question;
  const { gateway } = fixture({
    handlers: {
      "onto.task.list": async () => {
        if (failure) throw failure;
        return {};
      },
    },
  });
  const counting = recorded({ ...gateway } as never, recorder, Date.now);
  const call = (hooks: CallOptions) => counting.dispatch({ op: "onto.task.list" }, principal(), hooks);
  await call({ inputRequired });
  expect(made).toEqual([]);
  await call({});
  failure = new ToolFailure("UNAVAILABLE", "it is down", { server: "web" });
  await call({ inputRequired });
  failure = undefined;
  await call({ inputRequired });
  expect(made.map(({ code }) => code)).toEqual(["UNAVAILABLE", "UNAVAILABLE", undefined]);
});
