/** Field errors: paths, messages, suggestions, and what was received. */

import { describe, expect, test } from "vitest";
import { errorOf, fieldErrorsOf, fixture, okOf } from "../../gateway/fixture.js";
import { toolOf } from "../../gateway/fixture-tools.js";

describe("field errors (step 6)", () => {
  test("the example of the design, word for word", async () => {
    const envelope = await fixture().exec("onto.task.create", { titel: "Call Anna", state_key: "bloked" });
    expect(errorOf(envelope)).toEqual({
      code: "VALIDATION_ERROR",
      message: "3 arguments need attention: project_id is missing; titel is unknown; state_key is not a task state.",
      details: {
        field_errors: [
          {
            path: "project_id",
            keyword: "required",
            message: "project_id is missing",
            expected: "id<project>",
            received: "nothing",
          },
          {
            path: "titel",
            keyword: "additionalProperties",
            message: "titel is unknown",
            expected: "a declared argument",
            received: "string",
            did_you_mean: "title",
          },
          {
            path: "state_key",
            keyword: "enum",
            message: "state_key is not a task state",
            expected: "todo|in_progress|blocked|done",
            received: '"bloked"',
            did_you_mean: "blocked",
          },
        ],
      },
      help_path: "onto.task.create",
      corrected_call: {
        op: "onto.task.create",
        args: { project_id: "<project_id>", title: "Call Anna", state_key: "blocked" },
      },
    });
  });

  test.each([
    ["onto.task.list", { limit: "20" }, "limit", "type", "integer 1..50", '"20"'],
    ["onto.task.list", { limit: 51 }, "limit", "maximum", "integer 1..50", "51"],
    ["onto.task.list", { limit: 1.5 }, "limit", "type", "integer 1..50", "1.5"],
    ["onto.task.list", { state_key: "bogus" }, "state_key", "enum", "todo|in_progress|blocked|done", '"bogus"'],
    ["onto.task.delete", { task_id: "abc12345" }, "task_id", "pattern", "id<task>", '"abc12345"'],
    ["onto.task.delete", { task_id: "proj_1" }, "task_id", "pattern", "id<task>", '"proj_1"'],
    ["onto.task.delete", { task_id: 7 }, "task_id", "type", "id<task>", "7"],
    [
      "onto.task.create",
      { project_id: "proj_1", title: "x".repeat(41) },
      "title",
      "maxLength",
      "string, maxLength 40",
      `"${"x".repeat(41)}"`,
    ],
    ["onto.task.update", { task_id: "task_1", due_at: "soon" }, "due_at", "format", "date-time | null", '"soon"'],
    ["onto.task.update", { task_id: "task_1", due_at: 7 }, "due_at", "anyOf", "date-time | null", "7"],
    ["onto.task.create", { project_id: "proj_1", title: " " }, "title", "required", "string", '" "'],
    ["onto.task.create", { project_id: "proj_1", title: null }, "title", "required", "string", "null"],
    [
      "onto.project.create",
      { project: { name: "" }, entities: [], relationships: [] },
      "project.name",
      "required",
      "string",
      '""',
    ],
  ])("of %s with %j name %s and %s, and nothing is called", async (op, args, path, keyword, expected, received) => {
    const { exec, calls } = fixture();
    expect(fieldErrorsOf(await exec(op, args))).toMatchObject([{ path, keyword, expected, received }]);
    expect(calls).toEqual([]);
  });

  test("case 21: nested findings have nested paths", async () => {
    const nodes = [
      { id: "doc_1", kind: "document", connections: [] },
      { id: "task_1", kind: "task", connections: [{ kind: "goal", id: "??" }] },
      { id: "task_2", kind: "task", connections: [{ kynd: "goal", id: "goal_2" }] },
    ];
    const envelope = await fixture().exec("onto.project.graph.reorganize", { project_id: "proj_1", nodes });
    const found = fieldErrorsOf(envelope).map(({ path, keyword }) => `${path} ${keyword}`);
    expect(found).toEqual([
      "nodes[2].connections[0].kynd additionalProperties",
      "nodes[0].kind enum",
      "nodes[1].connections[0].id pattern",
    ]);
    expect(errorOf(envelope).corrected_call?.args["nodes"]).toEqual([
      { id: "doc_1", kind: "<kind: task or goal>", connections: [] },
      { id: "task_1", kind: "task", connections: [{ kind: "goal", id: "<id>" }] },
      { id: "task_2", kind: "task", connections: [{ kind: "goal", id: "goal_2" }] },
    ]);
  });

  test("a default takes no name from an unknown argument", async () => {
    expect(fieldErrorsOf(await fixture().exec("onto.task.list", { pageSize: 3 }))).toMatchObject([
      { path: "pageSize", keyword: "additionalProperties", did_you_mean: "limit" },
    ]);
    expect(fieldErrorsOf(await fixture().exec("onto.task.list", { pageSize: 3, limit: 4 }))).not.toHaveProperty(
      "0.did_you_mean",
    );
  });

  test("arguments that a schema does not mention are unknown even where it does not forbid them", async () => {
    expect(fieldErrorsOf(await fixture().exec("util.echo.open", { texd: "a" }))).toMatchObject([
      { path: "texd", keyword: "additionalProperties", did_you_mean: "text" },
    ]);
  });

  test("an argument that a schema requires is known, even if it does not describe it", async () => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["nme"] };
    const { exec } = fixture({ more: [toolOf({ op: "onto.a.set", tool: "set_a", kind: "write", schema })] });
    expect((await exec("onto.a.set", { nme: "a" })).ok).toBe(true);
    expect(errorOf(await exec("onto.a.set")).corrected_call?.args).toEqual({ nme: "<nme>" });
  });

  test("what was received is clipped and scrubbed", async () => {
    const key = `oub_abcdefghij_${"S".repeat(43)}`;
    const [first] = fieldErrorsOf(await fixture().exec("onto.task.list", { project_id: key }));
    expect(first?.received).toBe('"oub_abcdefghij_***"');
    const [second] = fieldErrorsOf(await fixture().exec("onto.task.list", { project_id: "?".repeat(5000) }));
    expect(second?.received.length).toBe(80);
  });

  test("an op that lacks an id names the ops that find one", async () => {
    const error = errorOf(await fixture().exec("onto.task.delete", { title: "A" }));
    expect(error.details?.["suggestions"]).toEqual(["onto.task.list", "onto.task.search"]);
  });
});

describe("constraints (step 7)", () => {
  test.each([
    ["onto.task.update", { task_id: "task_1" }, [["", "at_least_one_change"]]],
    ["onto.task.update", { task_id: "task_1", title: "A", update_strategy: "append" }, [["description", "requires"]]],
    ["onto.task.doc.create_or_attach", { task_id: "task_1" }, [["", "one_of"]]],
    ["onto.task.doc.create_or_attach", { task_id: "task_1", title: "A" }, [["description", "one_of"]]],
    ["onto.task.doc.create_or_attach", { task_id: "task_1", title: "A", document_id: "doc_1" }, [["", "one_of"]]],
  ])("of %s refuse %j, and nothing is called", async (op, args, expected) => {
    const { exec, calls } = fixture();
    expect(fieldErrorsOf(await exec(op, args)).map(({ path, keyword }) => [path, keyword])).toEqual(expected);
    expect(calls).toEqual([]);
  });

  test.each([
    ["onto.task.update", { task_id: "task_1", due_at: null }],
    ["onto.task.doc.create_or_attach", { task_id: "task_1", document_id: "doc_1" }],
    ["onto.task.doc.create_or_attach", { task_id: "task_1", title: "A", description: "B" }],
  ])("%s %j passes", async (op, args) => {
    expect((await fixture().exec(op, args)).ok).toBe(true);
  });

  test.each([
    ["onto.task.update", { task_id: "task_1" }, { task_id: "task_1", title: "<title>" }],
    [
      "onto.task.update",
      { task_id: "task_1", title: "A", update_strategy: "append" },
      { task_id: "task_1", title: "A", description: "<description>", update_strategy: "append" },
    ],
    [
      "onto.task.doc.create_or_attach",
      { task_id: "task_1", title: "A" },
      { task_id: "task_1", title: "A", description: "<description>" },
    ],
    [
      "onto.task.doc.create_or_attach",
      { task_id: "task_1", title: "A", document_id: "doc_1" },
      { task_id: "task_1", document_id: "doc_1", title: "<title: leave it out, or leave out document_id>" },
    ],
  ])("%s %j: the corrected call satisfies them", async (op, args, corrected) => {
    expect(errorOf(await fixture().exec(op, args)).corrected_call).toEqual({ op, args: corrected });
  });
});

describe("corrected call", () => {
  test("an empty call gets the op's example", async () => {
    const { corrected_call } = errorOf(await fixture().exec("onto.task.search", {}));
    expect(corrected_call).toEqual({ op: "onto.task.search", args: { search: "<search>" } });
  });

  test("unknown names without a near one are placeholders, valid values stay", async () => {
    const { corrected_call } = errorOf(
      await fixture().exec("onto.task.create", { zzzzzz: 1, title: "A", project_id: "proj_1" }),
    );
    expect(corrected_call?.args).toEqual({
      project_id: "proj_1",
      title: "A",
      zzzzzz: "<zzzzzz: no such argument for 1; use state_key, priority, connections, props, or leave it out>",
    });
  });

  test("long texts are not sent back", async () => {
    const { corrected_call } = errorOf(
      await fixture().exec("onto.task.update", { task_id: "bad", description: "x".repeat(5000) }),
    );
    expect(corrected_call?.args).toEqual({ task_id: "<task_id>", description: "<as sent, 5000 characters>" });
  });
});

describe("defaults (step 5)", () => {
  test("are filled in at the top and in nested objects, never over null", async () => {
    const { exec, calls } = fixture();
    await exec("onto.project.create", { project: { name: "P" }, entities: [], relationships: [] });
    await exec("onto.task.create", { project_id: "proj_1", title: "A" });
    expect(calls[0]?.args["project"]).toEqual({ name: "P", state_key: "planning" });
    expect(calls[1]?.args).toEqual({ project_id: "proj_1", title: "A", state_key: "todo", priority: 3 });
  });

  test("a handler that changes its arguments does not change the defaults", async () => {
    const { exec } = fixture();
    okOf(await exec("onto.task.create", { project_id: "proj_1", title: "A" }));
    const { calls, exec: again } = fixture();
    await again("onto.task.create", { project_id: "proj_1", title: "A" });
    expect(calls[0]?.args["priority"]).toBe(3);
  });
});
