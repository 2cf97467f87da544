/** What an answer says of its call: time, warnings, repeats, and the op that was carried out. */

import { describe, expect, test } from "vitest";
import { startSession } from "../../../runtime/catalog/session.js";
import { errorOf, fixture, handler, okOf, principal } from "../gateway/fixture.js";

const LIST = "onto.task.list";

test("latency is in whole milliseconds, and never negative if the clock goes back", async () => {
  let now = 1000;
  const after = async (ms: number) => {
    const { exec } = fixture({
      handlers: {
        [LIST]: handler(async () => {
          now += ms;
        }),
      },
      options: { clock: () => now },
    });
    return (await exec(LIST)).meta.latency_ms;
  };
  expect([await after(7.6), await after(0.2), await after(-50)]).toEqual([8, 0, 0]);
});

test("the op that was carried out is named if it was asked for by another name, also in a failure", async () => {
  const { exec } = fixture();
  expect((await exec(LIST)).meta).not.toHaveProperty("executed_op");
  expect((await exec("list_onto_tasks", { limit: 99 })).meta.executed_op).toBe(LIST);
  expect((await exec("onto.nothing")).meta).not.toHaveProperty("executed_op");
});

describe("repeated failures", () => {
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

  test("are counted in a session only, and by the whole request", async () => {
    const { exec } = fixture();
    const session = startSession();
    const repeated = async (args: object, hooks: object) =>
      errorOf(await exec(LIST, args, {}, principal(), hooks)).details?.["repeated"];
    expect(await repeated({ limit: 99 }, { session })).toBeUndefined();
    expect(await repeated({ limit: 99 }, { session })).toBe(2);
    expect(await repeated({ limit: 98 }, { session })).toBeUndefined();
    expect([await repeated({ limit: 99 }, {}), await repeated({ limit: 99 }, {})]).toEqual([undefined, undefined]);
  });

  test("of a request that nests too deep are not counted: it has no digest", async () => {
    const { exec } = fixture();
    const hooks = { session: startSession() };
    for (let time = 0; time < 2; time++) {
      const error = errorOf(await exec(LIST, nested(100), {}, principal(), hooks));
      expect(error.code).toBe("VALIDATION_ERROR");
      expect(error.details).not.toHaveProperty("repeated");
    }
  });
});

test("the most used op is the example of a request without an op", async () => {
  const { gateway, exec } = fixture();
  const example = async () => errorOf(await gateway.dispatch({}, principal())).corrected_call?.op;
  const before = await example();
  for (let time = 0; time < 3; time++) await exec("onto.task.get", { task_id: "wrong id" });
  expect(await example()).toBe(before);
  for (let time = 0; time < 3; time++) okOf(await exec("search_onto", { query: "a" }));
  expect(await example()).toBe("onto.search");
});

test("each answer is told to the transport, whether it succeeds or not", async () => {
  const { exec } = fixture();
  const told: unknown[] = [];
  const hooks = { answered: (envelope: unknown) => void told.push(envelope) };
  const answers = [
    await exec(LIST, {}, {}, principal(), hooks),
    await exec("onto.nothing", {}, {}, principal(), hooks),
  ];
  expect(told).toEqual(answers);
});
