/** Long directories of `tool_help`, pages, and parts of an op. */

import { describe, expect, test } from "vitest";
import type { DirectoryAnswer, HelpAnswer, OpAnswer } from "../../../runtime/catalog/help-answers.js";
import type { JsonSchema, Tool } from "../../../runtime/contract/registry.js";
import { fixture, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const op = (path: string, topic?: string, schema: JsonSchema = closed({})): Tool =>
  toolOf({
    op: path,
    tool: path.replaceAll(".", "_"),
    kind: /list|get/.test(path) ? "read" : "write",
    schema,
    ...(topic === undefined ? {} : { extra: { topic } }),
  });

/** Ops of one topic. */
const about = (topic: string | undefined, prefix: string, count: number): readonly Tool[] =>
  Array.from({ length: count }, (_, at) => op(`api.${prefix}_${at % 2 === 0 ? "list" : "create"}_thing${at}`, topic));

const API = [
  ...about("pulls", "pulls", 20),
  ...about("repos", "repos", 44),
  ...about(undefined, "list_gadgets", 4),
  ...about("lone", "lone", 2),
  ...about("taken", "taken", 5),
  op("api.taken.real"),
  op("api.ping"),
];

const ask = (request: object, more: readonly Tool[] = API, answerBytes = 6000): HelpAnswer =>
  fixture({ more, settings: { answerBytes } }).gateway.help(request, principal());
const names = (answer: HelpAnswer): readonly unknown[] =>
  (answer as DirectoryAnswer).items.map((item) => ("group" in item ? [item.group, item.ops] : item.op));

describe("a long directory", () => {
  test("has groups by topic, else by the first word that is no verb, largest first, then the ops in none", () => {
    const answer = ask({ path: "api" }) as DirectoryAnswer;
    expect(answer).toMatchObject({ ops: 77, next: { path: "api <words>" } });
    const [groups, ops] = [names(answer).filter(Array.isArray), names(answer).filter((one) => !Array.isArray(one))];
    expect(groups).toEqual([
      ["api.repos", 44],
      ["api.pulls", 20],
      ["api.gadget", 4],
      ["api.taken", 1],
    ]);
    // Too few for a group, and a topic whose path is that of other ops.
    expect(ops).toEqual([
      "api.lone_create_thing1",
      "api.lone_list_thing0",
      "api.ping",
      ...[1, 3].map((at) => `api.taken_create_thing${at}`),
      ...[0, 2, 4].map((at) => `api.taken_list_thing${at}`),
    ]);
    expect(answer.items[1]).toEqual({
      group: "api.pulls",
      ops: 20,
      holds: expect.stringMatching(/^thing0 thing1 .* …$/),
    });
  });

  test("a verb of the search names no group, unless it is as often a thing", () => {
    const more = ["purge", "clone", "list"].flatMap((verb) =>
      ["cache", "fork", "index"].map((noun) => op(`api.${verb}_${noun}`)),
    );
    const groups = names(ask({ path: "api" }, [...more, ...about("repos", "repos", 44)])).filter(Array.isArray);
    expect(groups).toEqual([
      ["api.repos", 44],
      ["api.cache", 3],
      ["api.fork", 3],
      ["api.index", 3],
    ]);
  });

  test("a group is a path, in any letters and with a kind, and a real prefix wins", () => {
    expect(names(ask({ path: "api.pulls" }))).toHaveLength(20);
    expect(ask({ path: "API.Pulls" })).toMatchObject({
      type: "directory",
      path: "api.pulls",
      next: { path: "api <words>" },
    });
    expect(names(ask({ path: "api.pulls.read" }))).toHaveLength(10);
    expect(names(ask({ path: "api.taken" }))).toEqual(["api.taken.real"]);
    expect(names(ask({ path: "api.read" }))).toHaveLength(40);
    expect(ask({ path: "api.nothing" })).toMatchObject({ type: "not_found" });
    expect(ask({ path: "api.pulls.more" })).toMatchObject({ type: "not_found" });
  });

  test("a group that is long has groups itself; what no word tells apart is listed, in pages", () => {
    const more = Array.from({ length: 60 }, (_, at) =>
      op(`big.repos_${["list", "get"][at % 2]}_${at < 30 ? "branch" : "tag"}_${at}`, "repos"),
    );
    expect(names(ask({ path: "big" }, more))).toEqual([["big.repos", 60]]);
    expect(names(ask({ path: "big.repos" }, more))).toEqual([
      ["big.repos.branch", 30],
      ["big.repos.tag", 30],
    ]);
    expect(names(ask({ path: "big.repos.tag" }, more))).toHaveLength(30);
  });

  test("one that is not long lists its ops as they are", () => {
    const answer = ask({ path: "api" }, about("pulls", "pulls", 20)) as DirectoryAnswer;
    expect(names(answer)).toHaveLength(20);
    expect(answer).not.toHaveProperty("ops");
    expect(answer.next).toEqual({ path: "api <words>" });
    expect((ask({}) as DirectoryAnswer).next).toEqual({ path: "<words>" });
  });
});

describe("pages", () => {
  test("a cut directory has the next page, and the search beside it", () => {
    const first = ask({ path: "api.pulls" }, API, 1000) as DirectoryAnswer;
    expect(first).toMatchObject({ page: 1, search: { path: "api <words>" }, next: { path: "api.pulls", page: 2 } });
    const last = ask({ path: "api.pulls", page: first.pages }, API, 1000) as DirectoryAnswer;
    expect(last).toMatchObject({ page: first.pages, next: { path: "api <words>" } });
  });

  test("an op that is found under another name has the pages of its own path", () => {
    const wide = closed(
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`argument_${at}`, { type: "string" }])),
    );
    const more = [op("api.wide", undefined, wide)];
    const [own, other] = ["api.wide", "api/wide"].map((path) => ask({ path }, more, 1500) as OpAnswer);
    expect(own).toMatchObject({ page: 1, next: { path: "api.wide", page: 2 } });
    expect({ ...own, requested_path: "api/wide" }).toEqual({ requested_path: "api/wide", ...other });
    const whole = ask({ path: "api.wide" }, more, 100_000);
    const exact = Buffer.byteLength(JSON.stringify(whole));
    expect(ask({ path: "api/wide" }, more, exact)).toEqual(whole);
  });

  test.each([
    [{ path: "api", page: 2 }, "page 2 is after the last one, 1", { path: "api", page: 1 }],
    [{ path: "api", page: 0 }, "page is not an integer 1..500", { path: "api" }],
    [{ path: "api", page: 501 }, "page is not an integer 1..500", { path: "api", page: 500 }],
    [{ path: "api", page: "2" }, "page is not an integer 1..500", { path: "api", page: 2 }],
    [{ path: "api", page: 1.5 }, "page is not an integer 1..500", { path: "api", page: 2 }],
  ])("%j is refused, and corrected: %s", (request, message, corrected_call) => {
    expect(ask(request)).toMatchObject({
      type: "error",
      error: { code: "VALIDATION_ERROR", message: expect.stringContaining(message), corrected_call },
    });
  });
});

describe("a part of an op", () => {
  const member = (depth: number): JsonSchema =>
    depth === 0
      ? { type: "string", description: "The last." }
      : { type: "object", properties: { [`level_${depth}`]: member(depth - 1) as never, note: { type: "string" } } };
  const wide = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`member_${at}`, member(2)])),
  };
  const more = [
    op("api.change", undefined, closed({ deep: { type: "array", items: wide as never }, plain: { type: "string" } })),
  ];

  test("is what … stands for: following next ends where everything was shown", () => {
    const path = "api.change";
    const short = ask({ path }, more) as OpAnswer;
    expect(short.next).toEqual({ path, at: "deep[]" });
    const part = ask(short.next ?? {}, more) as OpAnswer;
    expect(part).toMatchObject({ type: "op", path, at: "deep[]", shape: expect.stringContaining("member_0?: {") });
    expect(part.next?.at).toMatch(/^deep\[\]/);
    expect(ask({ path, at: "deep[].member_0.level_2.level_1" }, more)).toEqual({
      type: "op",
      path,
      registry_version: "5f0c9a1e77b2",
      kind: "write",
      at: "deep[].member_0.level_2.level_1",
      description: "The last.",
      shape: "string",
    });
  });

  test("in full it has the members of an object, in pages", () => {
    const first = ask({ path: "api.change", at: "deep", format: "full" }, more, 2500) as OpAnswer;
    expect(first.next).toEqual({ path: "api.change", at: "deep", format: "full", page: 2 });
    expect(first.args?.[0]).toMatchObject({ name: "member_0", type: expect.stringContaining("level_2") });
  });

  test.each([
    [
      { path: "api.change", at: "deep[].member_0.levle" },
      "at: deep[].member_0 has no such part",
      { path: "api.change", at: "deep[].member_0" },
    ],
    [{ path: "api.change", at: "nothing" }, "at is no part of the op", { path: "api.change" }],
    [{ path: "onto", at: "deep" }, "at names a part of one op, and path names a group", { path: "onto" }],
    [{ path: "api.change", at: "x".repeat(201) }, "at is not a string of 1..200 characters", { path: "api.change" }],
    [{ path: "api.change", at: "" }, "at is not a string of 1..200 characters", { path: "api.change" }],
  ])("%j is refused, and corrected: %s", (request, message, corrected_call) => {
    expect(ask(request, more)).toMatchObject({
      type: "error",
      error: { code: "VALIDATION_ERROR", message: expect.stringContaining(message), corrected_call },
    });
  });
});
