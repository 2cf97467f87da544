/** How corrections read texts: dates as people write them, JSON with faults, names of arguments and flags. */

import { describe, expect, test } from "vitest";
import { nearestArgument } from "../../../../runtime/call/corrections/argument-names.js";
import { isMidnight, readDate, readInstant } from "../../../../runtime/call/corrections/dates.js";
import { effectField, isKey, joinEffects, readEffect, readFlag } from "../../../../runtime/call/corrections/effect.js";
import { readKeywords, readLenient } from "../../../../runtime/call/corrections/lenient-json.js";

describe("dates", () => {
  test.each([
    ["2026-03-05", "2026-03-05"],
    [" 2026/3/5 ", "2026-03-05"],
    ["2026.12.31", "2026-12-31"],
    ["5.3.2026", "2026-03-05"],
    ["31.12.2026", "2026-12-31"],
    ["March 5, 2026", "2026-03-05"],
    ["mar. 5 2026", "2026-03-05"],
    ["September 1st, 2026", "2026-09-01"],
    ["Sept 2nd 2026", "2026-09-02"],
    ["JUNE 3rd 2026", "2026-06-03"],
    ["5 March 2026", "2026-03-05"],
    ["5th of March, 2026", "2026-03-05"],
    ["05-Mar-2026", "2026-03-05"],
    ["21 dec 2026", "2026-12-21"],
    ["Thu, 5 March 2026", "2026-03-05"],
    ["Thursday March 5 2026", "2026-03-05"],
    ["25/3/2026", "2026-03-25"],
    ["3/25/2026", "2026-03-25"],
    ["12/13/2026", "2026-12-13"],
    ["13/12/2026", "2026-12-13"],
    ["4/4/2026", "2026-04-04"],
    ["12/12/2026", "2026-12-12"],
    ["29.2.2028", "2028-02-29"],
  ])("%j is the day %s", (text, date) => expect(readDate(text)).toEqual({ date, time: undefined }));

  test.each([
    ["2026-03-05T14:30", "14:30:00Z"],
    ["2026-03-05 14:30:05", "14:30:05Z"],
    ["2026-03-05t14:30:05.250z", "14:30:05.250Z"],
    ["2026-03-05 at 2 pm", "14:00:00Z"],
    ["2026-03-05, at 2:15 PM", "14:15:00Z"],
    ["2026-03-05 12am", "00:00:00Z"],
    ["2026-03-05 12:30 pm", "12:30:00Z"],
    ["2026-03-05 1am", "01:00:00Z"],
    ["2026-03-05 14:30 UTC", "14:30:00Z"],
    ["2026-03-05 14:30 GMT", "14:30:00Z"],
    ["2026-03-05 14:30+02:00", "14:30:00+02:00"],
    ["2026-03-05 14:30 -0500", "14:30:00-05:00"],
    ["2026-03-05 9:05", "09:05:00Z"],
    ["2026-03-05 23:59:59", "23:59:59Z"],
  ])("%j has the time %s", (text, time) => expect(readDate(text)).toEqual({ date: "2026-03-05", time }));

  test.each([
    "3/5/2026",
    "31.2.2026",
    "29.2.2026",
    "2026-13-01",
    "2026-00-10",
    "2026-03-00",
    "0/5/2026",
    "13/13/2026",
    "tomorrow",
    "5 Mai 2026",
    "2026-03-05 soon",
    "2026-03-05 14",
    "2026-03-05 24:00",
    "2026-03-05 14:60",
    "2026-03-05 14:30:60",
    "2026-03-05 13 pm",
    "2026-03-05 0 am",
    "2026-03-051",
    "in 2026-03-05",
    `2026-03-05 ${" ".repeat(50)}14:30`,
    "",
  ])("%j is no date that can be told", (text) => expect(readDate(text)).toBeUndefined());

  test("the longest text that is read has sixty characters", () => {
    const [short, long] = [60, 61].map((length) => `${" ".repeat(length - 10)}2026-03-05`);
    expect([readDate(short ?? ""), readDate(long ?? "")]).toEqual([{ date: "2026-03-05", time: undefined }, undefined]);
  });

  test.each([
    [1_772_721_000, { date: "2026-03-05", time: "14:30:00Z" }],
    [1_772_721_000_250, { date: "2026-03-05", time: "14:30:00.250Z" }],
    [1e9, { date: "2001-09-09", time: "01:46:40Z" }],
    [1e12, { date: "2001-09-09", time: "01:46:40Z" }],
    [1e9 - 1, undefined],
    [1e10, undefined],
    [1e12 - 1, undefined],
    [1e13, undefined],
    [1_772_721_000_250.5, undefined],
    [-1_772_721_000, undefined],
  ])("the instant %d", (value, written) => expect(readInstant(value)).toEqual(written));

  test.each([
    ["00:00:00Z", true],
    ["00:00:00.000Z", true],
    ["00:00:01Z", false],
    ["00:00:00.001Z", false],
    ["00:00:00+01:00", false],
    ["100:00:00Z", false],
    ["00:00:00Zx", false],
  ])("%s is the beginning of a day: %s", (time, isOne) => expect(isMidnight(time)).toBe(isOne));
});

describe("JSON with faults", () => {
  test.each<readonly [text: string, value: unknown]>([
    ['{"a": 1}', { a: 1 }],
    ["[1, 2]", [1, 2]],
    ["{a: 1, $b_2: 'x', \"c-d\": [True, False, None]}", { a: 1, $b_2: "x", "c-d": [true, false, null] }],
    ["{a: true, b: false, c: null,}", { a: true, b: false, c: null }],
    ["(1, 2)", [1, 2]],
    ["[ 1 , ]", [1]],
    ["{}", {}],
    ["[]", []],
    ["{ }", {}],
    ["{'a': -1.5, 'b': 0, 'c': 10}", { a: -1.5, b: 0, c: 10 }],
    [String.raw`{'a': 'it\'s\n\t\r\b\f\\\/\"'}`, { a: "it's\n\t\r\b\f\\/\"" }],
    [String.raw`['\u00e9\x41']`, ["éA"]],
    ["['a\\\nb']", ["ab"]],
    ["{é: 1}", { é: 1 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ["~~~\n[1]\n~~~", [1]],
    ["```\r\n{a: 1}\r\n```  ", { a: 1 }],
    ['  ```json  \n{"a": 1}```', { a: 1 }],
    [JSON.stringify('{"a": 1}'), { a: 1 }],
    [JSON.stringify(JSON.stringify('{"a": 1}')), { a: 1 }],
    [`'{"a": 1}'`, { a: 1 }],
    [" \n[1]\t ", [1]],
  ])("%j is read", (text, value) => expect(readLenient(text)).toEqual(value));

  test.each([
    "",
    "1",
    "null",
    "abc",
    "{a}",
    "{a 1}",
    "{a: 1 b: 2}",
    "{a: 1",
    "{a: 1}}",
    "{a: 1} {b: 2}",
    "{a: 1, a: 2}",
    "{1: 2}",
    "{,}",
    "[1,,2]",
    "[1 2]",
    "[1)",
    "(1]",
    "['a]",
    "['a'b']",
    String.raw`['\q']`,
    String.raw`['\u12']`,
    String.raw`['\x4']`,
    "[01]",
    "[1.]",
    "[.5]",
    "[+1]",
    "[1e]",
    "[nan]",
    "[yes]",
    JSON.stringify(JSON.stringify(JSON.stringify('{"a": 1}'))),
    'x ```json\n{"a": 1}\n```',
    '```json\n{"a": 1}\n``` x',
  ])("%j is not", (text) => expect(readLenient(text)).toBeUndefined());

  test("neither is what is too long or too deep", () => {
    const long = (length: number): string => `['${"x".repeat(length - 4)}']`;
    expect(readLenient(long(100_000))).toEqual(["x".repeat(99_996)]);
    expect(readLenient(long(100_001))).toBeUndefined();
    expect(readLenient(`${"[".repeat(2_000)}'a'${"]".repeat(2_000)}`)).toBeUndefined();
    expect(readLenient(`${"[".repeat(20)}'a'${"]".repeat(20)}`)).toBeDefined();
  });
});

describe("arguments as Python writes them", () => {
  test.each<readonly [text: string, args: object]>([
    ["limit=5", { limit: 5 }],
    [" limit = 5 , state_key = 'done', ", { limit: 5, state_key: "done" }],
    ["a=[1, 'b'], c={'d': None}, é=(True,)", { a: [1, "b"], c: { d: null }, é: [true] }],
    ["'a b'=1", { "a b": 1 }],
    [`a='${"x".repeat(99_996)}'`, { a: "x".repeat(99_996) }],
  ])("%j is read", (text, args) => expect(readKeywords(text)).toEqual(args));

  test.each([
    "",
    " ",
    ",",
    "limit",
    "limit=",
    "limit:5",
    "limit=5 a=1",
    "limit=5; a=1",
    "limit=5, limit=6",
    "limit=five",
    "=5",
    "a=(1",
    `a='${"x".repeat(99_997)}'`,
  ])("%j is not", (text) => expect(readKeywords(text)).toBeUndefined());
});

describe("names of arguments", () => {
  const FREE = ["state_key", "limit", "project_id", "due_at", "description", "name_prefix"];
  test.each<readonly [name: string, free: readonly string[], meant: string | undefined]>([
    ["stateKey", FREE, "state_key"],
    ["State-Key", FREE, "state_key"],
    ["statekey", FREE, "state_key"],
    ["limits", FREE, "limit"],
    ["project", FREE, "project_id"],
    ["projectIds", FREE, "project_id"],
    ["due_date", FREE, "due_at"],
    ["due_on", FREE, "due_at"],
    ["due_time", FREE, "due_at"],
    ["due", FREE, "due_at"],
    ["project_key", FREE, undefined],
    ["state_id", FREE, undefined],
    ["desc", FREE, "description"],
    ["proj_id", FREE, "project_id"],
    ["de", FREE, undefined],
    ["name", FREE, undefined],
    ["top_k", FREE, "limit"],
    ["per_page", FREE, "limit"],
    ["max_results", ["limit", "page_size"], undefined],
    ["q", ["query", "text"], "query"],
    ["keywords", ["search", "text"], "search"],
    ["title", ["name"], "name"],
    ["name", ["title"], "title"],
    ["file", ["path"], "path"],
    ["filename", ["path"], "path"],
    ["link", ["url"], "url"],
    ["href", ["url"], "url"],
    ["repository", ["repo"], "repo"],
    ["content", ["body"], "body"],
    ["descripton", FREE, "description"],
    ["limt", FREE, "limit"],
    ["assignee", FREE, undefined],
    ["--", ["--", "a"], "--"],
    ["--", ["a"], undefined],
    ["id", ["key"], undefined],
    ["state", ["state_key", "state_id"], undefined],
    ["name", ["limit"], undefined],
    ["searchQuery", ["q"], "q"],
    ["kind", ["kind_key"], "kind_key"],
    ["project_ids", ["project"], "project"],
    ["projects_id", ["project"], "project"],
    ["id_project", ["project"], undefined],
    ["proj_key", ["project_id"], undefined],
    ["des", FREE, "description"],
    ["project_id", ["proj_id"], "proj_id"],
    ["name_prefix", ["name"], undefined],
    ["is_draft", ["draft"], "draft"],
    ["draft", ["isDraft"], "isDraft"],
    ["was_draft", ["draft"], undefined],
    ["is", ["--"], undefined],
    ["is_draft_mode", ["draftmode"], "draftmode"],
    ["limits", ["limit", "limit_id"], "limit"],
    ["parent_id", ["new_parent_id", "limit"], "new_parent_id"],
    ["number", ["issue_number"], "issue_number"],
    ["kind", ["entity_kind", "filter_kind"], undefined],
    ["text", ["title", "description"], "description"],
    ["text", ["body", "labels"], "body"],
    ["text", ["description", "content"], undefined],
    ["body", ["description", "content"], "content"],
    ["comment", ["issue_number", "body"], "body"],
    ["description", ["title", "body"], "body"],
    ["issue", ["issue_number", "body"], "issue_number"],
    ["issue_id", ["issue_number"], undefined],
    ["pr_number", ["pull_number"], "pull_number"],
    ["deadline", ["due_at", "start_at"], "due_at"],
    ["branch", ["ref", "path"], "ref"],
    ["org", ["owner", "repo"], "owner"],
    ["tags", ["labels"], "labels"],
    ["id", ["task_id"], undefined],
  ])("%s among %j is %s", (name, free, meant) => expect(nearestArgument(name, free)).toBe(meant));

  test.each([
    "query q search search_query search_term keyword keywords search_text",
    "limit max_results page_size per_page max_items max_records num_results top_k count max first take page_limit",
    "title name subject",
    "path file_path file filename file_name",
    "url link uri href",
    "repo repository repo_name repository_name",
    "body content description text details",
    "body text comment message",
    "due_at due_date due_on due deadline",
    "label labels tag tags",
    "owner org organization",
    "to recipient recipients",
    "pull_number pull_request_number pr_number pull_request pr",
    "state status state_key status_key",
    "direction order sort_order sort_direction",
  ])("each of %s is each of them", (group) => {
    const names = group.split(" ");
    const pairs = names.flatMap((name) => names.map((other) => [name, other] as const));
    expect(pairs.filter(([name, other]) => nearestArgument(name, [other]) !== other)).toEqual([]);
  });
});

describe("flags", () => {
  test.each([
    ["dry_run", "dry_run"],
    ["dryRun", "dry_run"],
    ["dry-runs", "dry_run"],
    ["is_dry_run", "dry_run"],
    ["isDryRum", undefined],
    ["dryfun", "dry_run"],
    ["drift", undefined],
    ["preview", "dry_run"],
    ["preview_only", "dry_run"],
    ["simulate", "dry_run"],
    ["simulation", "dry_run"],
    ["validate_only", "dry_run"],
    ["whatIf", "dry_run"],
    ["noop", "dry_run"],
    ["test_run", "dry_run"],
    ["checkOnly", "dry_run"],
    ["previews", undefined],
    ["idempotency_key", "idempotency_key"],
    ["idempotencyKey", "idempotency_key"],
    ["idempotncy_ky", "idempotency_key"],
    ["idmptncy_key", undefined],
    ["idempotency_token", "idempotency_key"],
    ["idempotent_key", "idempotency_key"],
    ["key", undefined],
    ["", undefined],
  ])("%s is %s", (name, field) => expect(effectField(name)).toBe(field));

  test.each<readonly [value: never, flag: boolean | undefined]>([
    [true as never, true],
    [false as never, false],
    [" True " as never, true],
    ["yes" as never, true],
    ["on" as never, true],
    [1 as never, true],
    ["1" as never, true],
    ["FALSE" as never, false],
    ["no" as never, false],
    ["off" as never, false],
    [0 as never, false],
    ["0" as never, false],
    [2 as never, undefined],
    ["perhaps" as never, undefined],
    ["" as never, undefined],
    [null as never, undefined],
    [[true] as never, undefined],
    [undefined as never, undefined],
  ])("the flag %j is %s", (value, flag) => expect(readFlag(value)).toBe(flag));

  test.each([
    ["k", true],
    ["k".repeat(200), true],
    ["k".repeat(201), false],
    ["", false],
    ["  ", false],
    [" k ", true],
    ["a\nb", false],
    [7, false],
    [undefined, false],
  ])("%j can be a key: %s", (value, can) => expect(isKey(value)).toBe(can));

  test("effects are read by field, and joined unless they contradict each other", () => {
    expect(readEffect("dry_run", "yes")).toEqual({ dry_run: true });
    expect(readEffect("dry_run", "perhaps")).toBeUndefined();
    expect(readEffect("idempotency_key", "k")).toEqual({ idempotency_key: "k" });
    expect(readEffect("idempotency_key", 7)).toEqual({ idempotency_key: "7" });
    expect(readEffect("idempotency_key", 0.5)).toBeUndefined();
    expect(readEffect("idempotency_key", 2 ** 53)).toBeUndefined();
    expect(readEffect("idempotency_key", true)).toBeUndefined();
    expect(joinEffects({ dry_run: true }, { idempotency_key: "k" })).toEqual({ dry_run: true, idempotency_key: "k" });
    expect(joinEffects({ dry_run: true }, { dry_run: true })).toEqual({ dry_run: true });
    expect(joinEffects({ dry_run: true }, { dry_run: false })).toBeUndefined();
    expect(joinEffects({ idempotency_key: "a" }, { idempotency_key: "b" })).toBeUndefined();
    expect(joinEffects({}, {})).toEqual({});
  });
});
