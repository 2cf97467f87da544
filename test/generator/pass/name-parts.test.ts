/** Tool names in parts, and the nouns that recur in them. */

import { describe, expect, test } from "vitest";
import { nounsOf } from "../../../generator/pass/entities.js";
import { inferNames } from "../../../generator/pass/infer-names.js";
import { partsOfNames } from "../../../generator/pass/name-parts.js";
import { verbs } from "../../../generator/pass/verbs.js";

const VERBS = verbs();
/** `verb:noun noun/tail`, with `<` behind a verb that comes last, and the prefix in brackets. */
const shown = (names: readonly string[], pack = "p"): readonly string[] =>
  partsOfNames(names, pack, VERBS).map(({ verb, nouns, tail, isVerbFirst, prefix }) => {
    const order = isVerbFirst || verb === "" ? "" : "<";
    return `${verb}${order}:${nouns.join(" ")}${tail.length > 0 ? `/${tail.join(" ")}` : ""}${prefix && `[${prefix}]`}`;
  });

describe("a name", () => {
  test.each<readonly [name: string, parts: readonly string[]]>([
    ["list_tasks", ["list:tasks"]],
    ["task_archive", ["archive<:task"]],
    ["archive", ["archive:"]],
    ["list_tasks_by_state", ["list:tasks/by state"]],
    ["list_overdue_tasks_in_tree", ["list:overdue tasks/in tree"]],
    ["list_by_state", ["list:by state"]],
    ["weather_today", [":weather today"]],
    ["queue_details", [":queue details"]],
    ["weather", []],
    ["old_task_list_all", []],
    ["find_and_delete_task", []],
    ["find_and_delete", []],
    ["searches", []],
    ["lists_tasks", []],
    ["check_in_guest", []],
    ["délete_task", []],
    ["delete task", []],
    ["p_list_tasks", ["list:tasks[p]"]],
    ["p_tasks_list", ["list<:tasks[p]"]],
    ["p_weather_today", [":p weather today"]],
    ["list_p_tasks", ["list:tasks[p]"]],
    ["list_p", ["list:p"]],
  ])("%s is %j", (name, parts) => expect(shown([name])).toEqual(parts));

  test("a pack of several words is a prefix, a pack that is a verb is not", () => {
    expect(shown(["my_shop_add_item"], "my_shop")).toEqual(["add:item[my_shop]"]);
    expect(shown(["add_my_shop_item"], "my_shop")).toEqual(["add:item[my_shop]"]);
    expect(shown(["list_items_get"], "list")).toEqual(["list:items get"]);
  });
});

describe("a word that begins names is a prefix", () => {
  const rest = (count: number) => Array.from({ length: count }, (_, i) => `ping_x${"abcdefgh"[i]}`);
  const ACME = ["acme_list_tasks", "acme_add_note", "acme_drop_tag"];
  const found = ["list:tasks[acme]", "add:note[acme]", "drop:tag[acme]"];

  test("of at least half of them, and of three", () => {
    expect(shown([...ACME, ...rest(3)]).slice(0, 3)).toEqual(found);
    expect(shown([...ACME, ...rest(4)])).toHaveLength(4);
    expect(shown(ACME.slice(0, 2))).toEqual([]);
  });

  test("that is the most frequent, of equally frequent ones the first in order", () => {
    expect(shown(["zzz_get_x", ...ACME])).toEqual(found);
    expect(shown([...ACME, "aaa_get_x"])).toEqual(found);
    expect(shown([...ACME.map((name) => name.replace("acme", "beta")), ...ACME])).toEqual(found);
  });

  test("before several verbs", () => {
    expect(shown(["acme_get_a", "acme_get_b", "acme_get_c"])).toEqual([]);
  });

  test("nearly always with a verb and a noun behind it", () => {
    expect(shown([...ACME, "acme_sync"])).toEqual([...found, "sync:[acme]"]);
    expect(shown([...ACME, "acme_sync", "acme_ping"])).toEqual(["sync<:acme", "ping<:acme"]);
  });
});

describe("a word between verb and noun is a prefix", () => {
  const ACME = ["list_acme_tasks", "add_acme_notes", "drop_acme_tag"];

  test("before three nouns, in at least half of the names that begin with a verb", () => {
    expect(shown(ACME)).toEqual(["list:tasks[acme]", "add:notes[acme]", "drop:tag[acme]"]);
    expect(shown([...ACME, "ping_a", "ping_b", "ping_c"])[0]).toBe("list:tasks[acme]");
    expect(shown([...ACME, "ping_a", "ping_b", "ping_c", "ping_d"])[0]).toBe("list:acme tasks");
    expect(shown(["list_acme_tasks", "add_acme_task", "drop_acme_tag"])[0]).toBe("list:acme tasks");
  });

  test("not before one noun and another word", () => {
    expect(shown(["list_acme_tasks", "add_acme_notes", "drop_x_tag"])[0]).toBe("list:acme tasks");
  });

  test("unless it is a noun of its own", () => {
    expect(shown([...ACME, "get_acme"])[0]).toBe("list:acme tasks");
    expect(shown([...ACME, "get_acmes"])[0]).toBe("list:acme tasks");
  });
});

describe("nouns", () => {
  const nouns = (names: readonly string[], given: readonly string[] = []) => {
    const { entities, topics } = nounsOf(partsOfNames(names, "p", VERBS), new Set(given));
    const all = (found: typeof entities) =>
      [...found].map(([noun, { name, tools }]) => `${noun}${name === noun ? "" : `=${name}`} ${tools.length}`);
    return [all(entities), all(topics)];
  };
  const TASKS = ["list_tasks", "add_task"];

  test.each<readonly [what: string, names: readonly string[], entities: readonly string[], topics: readonly string[]]>([
    ["two verbs", TASKS, ["task 2"], []],
    ["one verb", ["list_tasks", "list_task"], [], []],
    ["one verb behind a prefix", ["list_p_tasks"], ["task 1"], []],
    ["one verb behind a prefix, with another word", ["list_p_task_names"], [], []],
    ["details count as nothing", ["get_task_details", "add_task"], ["task 2"], []],
    ["different words behind it", ["list_task_notes", "add_task_tag"], ["task 2"], []],
    ["the same word behind it", ["create_pull_request", "get_pull_request_files"], ["pull_request 2"], []],
    ["it leads with one verb", ["cluster_node_get", "cluster_info_get"], ["cluster 2"], []],
    ["it leads, always as a plural", ["maps_search", "maps_get"], ["map=maps 2"], []],
    ["it leads, in both forms", ["maps_search", "map_get"], ["map 2"], []],
    ["it leads and follows", ["maps_search", "get_maps"], ["map 2"], []],
    ["a version", ["get_v2", "add_v2"], [], []],
    ["a number", ["get_365", "add_365"], [], []],
    ["one letter", ["get_a", "add_a"], [], []],
    ["no participle", ["get_bed", "add_bed"], ["bed 2"], []],
    ["a preposition", ["get_by_x", "add_by_x"], [], []],
    ["a qualifier alone", ["get_my", "add_my"], [], []],
    ["a qualified noun", ["get_saved_views", "add_saved_view"], ["saved_view 2"], []],
    [
      "a qualified noun beside the noun",
      ["get_saved_views", "add_saved_view", "list_views", "drop_view"],
      ["view 2"],
      [],
    ],
    ["a plain verb beside entities", [...TASKS, "list_milestones"], ["task 2", "milestone 1"], []],
    ["another verb beside entities", [...TASKS, "archive_milestones"], ["task 2"], []],
    ["a plain verb and two words", [...TASKS, "list_milestone_names"], ["task 2", "milestone_name 1"], []],
    ["a plain verb and three words", [...TASKS, "list_milestone_name_parts"], ["task 2"], []],
    ["a plain verb and another verb", [...TASKS, "list_milestone_update"], ["task 2"], []],
    ["a plain verb, a qualifier and an entity", [...TASKS, "list_overdue_tasks"], ["task 2"], []],
    ["a plain verb and details", [...TASKS, "get_milestone_details"], ["task 2", "milestone 1"], []],
    ["a plain verb and a place", [...TASKS, "list_milestones_in_tree"], ["task 2"], []],
    ["a plain verb behind the noun", [...TASKS, "milestone_list"], ["task 2"], []],
    ["a plain verb before a qualifier", [...TASKS, "list_all"], ["task 2"], []],
    ["a plain verb where half have an entity", [...TASKS, "list_milestones", "ping"], ["task 2", "milestone 1"], []],
    ["a plain verb where most have none", [...TASKS, "list_milestones", "ping", "echo_x"], ["task 2"], []],
    ["only ever read", ["get_billing_status", "get_billing_plan"], [], ["billing 2"]],
    ["without a verb", ["billing_today", "billing_week"], [], ["billing 2"]],
    ["read, and once alone", ["get_billing_status", "get_billing_plan", "get_billing"], [], []],
    ["listed", ["list_billing_status", "list_billing_plan"], [], []],
    ["before one word", ["get_billing_status", "billing_status"], [], []],
  ])("are entities or topics by what they stand beside: %s", (_, names, entities, topics) =>
    expect(nouns(names)).toEqual([entities, topics]),
  );

  test("configured entities need no evidence", () => {
    expect(nouns(["list_thing_names"], ["thing"])).toEqual([["thing 1"], []]);
    expect(nouns(["list_my"], ["my"])).toEqual([["my 1"], []]);
  });
});

describe("inferred ops", () => {
  const TASKS = ["list_tasks", "create_task", "delete_task", "list_notes", "create_note"];
  const infer = (more: readonly string[], pack = "p", taken: readonly string[] = [], names = [...TASKS, ...more]) =>
    inferNames({ pack, tools: names, open: names, taken, entry: {} }, VERBS);

  test.each<readonly [more: readonly string[], op: string, verb: string | undefined, because: string]>([
    [["list_tags"], "p.tag.list", "list", "inferred: verb list, entity tag"],
    [["get_task_history"], "p.task.history.get", "get", "inferred: verb get, entity task (in 4 tools), facet history"],
    [
      ["get_task_notes"],
      "p.task.note.list",
      "list",
      "inferred: verb list, since get has a plural, entity task (in 4 tools), facet note",
    ],
    [["drop_task_notes"], "p.task.note.drop", "drop", "inferred: verb drop, entity task (in 4 tools), facet note"],
    [["move_task_in_tree"], "p.task.tree.move", "move", "inferred: verb move, entity task (in 4 tools), facet tree"],
    [
      ["list_tasks_by_state"],
      "p.task.by_state.list",
      "list",
      "inferred: verb list, entity task (in 4 tools), facet by_state",
    ],
    [["get_linked_tasks"], "p.task.links.get", "get", "inferred: verb get, entity task (in 3 tools), facet links"],
    [
      ["get_related_tasks"],
      "p.task.relations.get",
      "get",
      "inferred: verb get, entity task (in 3 tools), facet relations",
    ],
    [
      ["add_label", "get_labels"],
      "p.label.list",
      "list",
      "inferred: verb list, since get has a plural, entity label (in 2 tools)",
    ],
    [["get_task_details"], "p.task.get", "get", "inferred: verb get, entity task (in 4 tools)"],
    [
      ["get_billing_plan_names", "get_billing_status"],
      "p.billing.status",
      "",
      "inferred: topic billing (in 2 tools), facet status",
    ],
    [["get_task_tag_details"], "p.task.tag.get", "get", "inferred: verb get, entity task (in 4 tools), facet tag"],
    [
      ["get_tasks_names_since"],
      "p.task.names_since.get",
      "get",
      "inferred: verb get, entity task (in 4 tools), facet names_since",
    ],
    [
      ["get_task_notes_names"],
      "p.task.notes_names.get",
      "get",
      "inferred: verb get, entity task (in 4 tools), facet notes_names",
    ],
    [["ping"], "p.ping", undefined, "pack and safe name"],
    [["old_task_list_all"], "p.old_task_list_all", undefined, "pack and safe name"],
  ])("of %j", (more, op, verb, because) => {
    expect(infer(more).get(more.at(-1) ?? "")).toMatchObject({ op, because, ...(verb === undefined ? {} : { verb }) });
  });

  test("the pack in full means the pack, from four letters on", () => {
    expect(infer(["search_ontology"], "onto").get("search_ontology")).toMatchObject({
      op: "onto.search",
      because: "inferred: verb search, it means the pack onto",
      noun: "",
    });
    expect(infer(["search_ontology"], "ont").get("search_ontology")?.op).toBe("ont.ontology.search");
  });

  test("a taken op is not used again, whatever its letters and dots", () => {
    for (const taken of ["p.task.list", "P.Task.List", "p_task_list"])
      expect(infer([], "p", [taken]).get("list_tasks")?.op).toBe("p.list_tasks");
    expect(infer([], "p", ["p.task"]).get("list_tasks")?.op).toBe("p.list_tasks");
    expect(infer([], "p", ["p"]).get("list_tasks")?.op).toBe("p.task.list");
  });

  test("fewer than four tools are no evidence, unless the pack stands behind the verb", () => {
    expect(infer([], "p", [], TASKS.slice(0, 3)).get("list_tasks")?.op).toBe("p.list_tasks");
    expect(infer([], "p", [], TASKS.slice(0, 4)).get("list_tasks")?.op).toBe("p.task.list");
    expect(infer([], "p", [], ["list_p_tasks"]).get("list_p_tasks")).toMatchObject({
      op: "p.task.list",
      because: "inferred: verb list, entity task, prefix p",
    });
    expect(infer([], "p", [], ["p_list_tasks"]).get("p_list_tasks")?.op).toBe("p.task.list");
  });
});
