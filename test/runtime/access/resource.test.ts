/** Ids in the arguments of a key's call: each is resolved to its project before a handler sees it. */

import { describe, expect, test } from "vitest";
import type { Principal } from "../../../runtime/codegen.js";
import { fixture, principal } from "../gateway/fixture.js";

const OWN = "proj_own";
const STORED: ReadonlyMap<string, string> = new Map([
  ["task_own", OWN],
  ["task_other", "proj_other"],
]);

/** A gateway that writes down which ids were looked up. */
function resolving() {
  const asked: string[] = [];
  const made = fixture({
    options: {
      projectOf: async (_kind, id) => {
        asked.push(id);
        return STORED.get(id);
      },
    },
  });
  return { ...made, asked };
}

const key = (level: "read" | "write"): Principal =>
  principal({ kind: "key", id: "abcdefghij", grant: { level, projects: [OWN] }, allowWrite: level === "write" });
const plain = (answer: unknown, id: string): string =>
  JSON.stringify(answer)
    .replaceAll(id, "<id>")
    .replaceAll(/tr_[0-9a-f]{16}/g, "")
    .replaceAll(/"latency_ms":\d+/g, "");

test("an object of another project and one that is not there are one answer, and no handler runs", async () => {
  const { exec, calls } = resolving();
  const who = key("write");
  for (const more of [{}, { dry_run: true }, { idempotency_key: "k" }]) {
    const [other, none] = await Promise.all(
      ["task_other", "task_none"].map(async (id) =>
        plain(await exec("onto.task.docs.list", { task_id: id }, more, who), id),
      ),
    );
    expect(other).toBe(none);
    expect(other).toContain("NOT_FOUND");
  }
  // The answer says what the caller can read that is called like the id.
  const carriedOut = () => calls.map(({ op }) => op).filter((op) => op !== "onto.task.search");
  expect(carriedOut()).toEqual([]);
  expect(await exec("onto.task.docs.list", { task_id: "task_own" }, {}, who)).toMatchObject({ ok: true });
  expect(carriedOut()).toEqual(["onto.task.docs.list"]);
});

test("a project of another key and one that is not there are one answer", async () => {
  const { exec, calls } = resolving();
  const [other, none] = await Promise.all(
    ["proj_other", "proj_none"].map(async (id) =>
      plain(await exec("onto.task.list", { project_id: id }, {}, key("read")), id),
    ),
  );
  expect(other).toBe(none);
  expect(calls).toEqual([]);
  expect(await exec("onto.task.list", { project_id: OWN }, {}, key("read"))).toMatchObject({ ok: true });
});

describe("forged ids are refused before anything is looked up", () => {
  test.each(["../task_own", "task_own/../../keys", "task_own\u0000", "task_own' or '1'='1", "TASK_own", "*", ""])(
    "the text %j",
    async (id) => {
      const { exec, calls, asked } = resolving();
      const answer = await exec("onto.task.docs.list", { task_id: id }, {}, key("read"));
      expect(answer).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR" } });
      expect({ calls, asked }).toEqual({ calls: [], asked: [] });
    },
  );

  test.each([[{ $ne: "" }], [["task_own", "task_other"]], [{ id: "task_own" }], [7], [null]])(
    "the value %j, which is no text",
    async (id) => {
      const { exec, calls, asked } = resolving();
      const answer = await exec("onto.task.docs.list", { task_id: id }, {}, key("read"));
      expect(answer).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR" } });
      expect({ calls, asked }).toEqual({ calls: [], asked: [] });
    },
  );

  test("prototype keys are unknown arguments like any other", async () => {
    const { exec, calls } = resolving();
    const args = JSON.parse('{"task_id": "task_own", "__proto__": {"project": "proj_own"}, "constructor": 1}');
    const answer = await exec("onto.task.docs.list", args, {}, key("read"));
    expect(answer).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR" } });
    expect(calls).toEqual([]);
  });
});
