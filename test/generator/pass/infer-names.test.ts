/** Ops inferred from the names of all tools of a pack, without configuration. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type Explanation, explain } from "../../../generator/cli/explain.js";
import { openDisk } from "../../../generator/cli/files.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { pageText } from "../../support/doc-pages.js";
import { buildProject, hostOf, jsonProject, registryOf, tool } from "../../support/generator-host.js";
import { CHECKOUT } from "../../support/project.js";

const opsOf = async (names: readonly string[], config = ""): Promise<Readonly<Record<string, string>>> => {
  const { tools } = await registryOf(
    jsonProject(
      names.map((name) => tool(name)),
      config,
    ),
  );
  return Object.fromEntries(tools.map((one) => [one.tool_name, one.op]));
};

const CONFIG = "definitions/toolwright.yaml";

/** The tools of the worked example, without what its configuration says about packs and ops. */
async function exampleWithout(...keys: readonly string[]): Promise<Registry> {
  const disk = openDisk(CHECKOUT);
  const config = parse(disk.read(CONFIG) ?? "");
  for (const key of keys) {
    delete config[key];
    for (const source of config.sources) delete source[key];
  }
  const text = stringify({ ...config, use: [] });
  const read = (file: string) => (file === CONFIG ? text : disk.read(file));
  return registryOf({ "toolwright.yaml": text }, { ...hostOf({}), read, list: disk.list });
}

const example = (): Registry => JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8")) as Registry;

describe("the worked example without packs and ops", () => {
  test("at least nine in ten of the configured ops are inferred, and all kinds", { tags: "full" }, async () => {
    const { tools } = await exampleWithout("packs", "ops", "policies");
    const configured = new Map(example().tools.map((one) => [one.tool_name, one] as const));
    const differing = tools.flatMap(({ tool_name, op, kind }) => {
      const wanted = configured.get(tool_name);
      return wanted?.op === op && wanted.kind === kind ? [] : [`${op} ${kind}, not ${wanted?.op} ${wanted?.kind}`];
    });
    expect(tools.length).toBe(53);
    expect(differing.sort()).toEqual([
      "onto.entity.link write, not onto.edge.link write",
      "onto.task.document.create write, not onto.task.doc.create_or_attach write",
      "onto.task.document.list read, not onto.task.docs.list read",
      "util.get_field_info read, not util.schema.field_info read",
    ]);
  });

  test("the kinds of the sources are not needed", { tags: "full" }, async () => {
    const kinds = async (registry: Registry | Promise<Registry>) =>
      new Map((await registry).tools.map((one) => [one.tool_name, one.kind]));
    const inferred = await kinds(exampleWithout("packs", "ops", "policies", "kind"));
    const configured = await kinds(example());
    for (const [name, kind] of inferred) expect([name, kind]).toEqual([name, configured.get(name)]);
  });
});

const TASKS = ["list_tasks", "create_task", "delete_task", "list_notes", "create_note"];

describe("entities", () => {
  test.each<readonly [what: string, names: readonly string[], ops: readonly string[]]>([
    ["recur after verbs", TASKS, ["task.list", "task.create", "task.delete", "note.list", "note.create"]],
    ["have facets behind them", [...TASKS, "get_task_history"], ["task.history.get"]],
    ["have a facet after in", [...TASKS, "move_task_in_tree"], ["task.tree.move"]],
    ["have a facet after another preposition", [...TASKS, "list_tasks_by_state"], ["task.by_state.list"]],
    ["have qualifiers before them", [...TASKS, "list_overdue_tasks"], ["task.overdue.list"]],
    ["have relations", [...TASKS, "get_linked_tasks"], ["task.links.get"]],
    ["have others as facets", [...TASKS, "list_task_notes"], ["task.note.list"]],
    ["lose `details`", [...TASKS, "get_task_details"], ["task.get"]],
    [
      "keep `details` where `get` is taken",
      [...TASKS, "get_task", "get_task_details"],
      ["task.get", "task.details.get"],
    ],
    ["are listed where `get` has a plural", [...TASKS, "get_labels", "add_label"], ["label.list", "label.add"]],
    [
      "are several words",
      [...TASKS, "create_pull_request", "get_pull_request_files"],
      ["pull_request.create", "pull_request.files.get"],
    ],
    [
      "have facets in one number",
      [...TASKS, "get_user", "list_user_groups", "create_user_group"],
      ["user.get", "user.group.list", "user.group.create"],
    ],
    [
      "have facets that are listed where `get` has a plural",
      [...TASKS, "get_task_labels", "add_task_label", "get_task_relations"],
      ["task.label.list", "task.label.add", "task.relations.get"],
    ],
    [
      "have facets that lose `details`",
      [...TASKS, "list_calendar_items", "get_calendar_event_details", "create_calendar_event"],
      ["calendar.items.list", "calendar.event.get", "calendar.event.create"],
    ],
    [
      "have facets that keep `details` where `get` is taken",
      [...TASKS, "get_task_tree", "get_task_tree_details"],
      ["task.tree.get", "task.tree_details.get"],
    ],
    [
      "have facets that keep their number where the singular is taken",
      [...TASKS, "update_task", "get_task_update", "get_task_updates"],
      ["task.update", "get_task_update", "task.updates.get"],
    ],
    ["may be two words behind a plain verb", [...TASKS, "list_calendar_items"], ["calendar_item.list"]],
    ["have irregular plurals", [...TASKS, "list_people", "create_person"], ["person.list", "person.create"]],
    ["may be written in any style", [...TASKS, "archiveTask", "restore-task"], ["task.archive", "task.restore"]],
    ["may lead", [...TASKS, "task_archive"], ["task.archive"]],
    ["may occur once behind a plain verb", [...TASKS, "list_milestones"], ["milestone.list"]],
    ["are no adjectives", [...TASKS, "get_my_profile", "reset_my_words"], ["get_my_profile", "reset_my_words"]],
  ])("they %s", async (_what, names, ops) => {
    const found = await opsOf(names);
    expect(names.slice(-ops.length).map((name) => found[name])).toEqual(ops.map((op) => `p.${op}`));
  });

  test("prefixes that recur are left out, before and behind the verb", async () => {
    const ops = ["p.task.list", "p.task.create", "p.task.delete", "p.note.list", "p.note.create", "p.tag.add"];
    const names = [...TASKS, "add_tag"];
    for (const prefixed of [
      names.map((name) => `acme_${name}`),
      names.map((name) => name.replace("_", "_acme_")),
      names.map((name) => `p_${name}`),
      names.map((name) => name.replace("_", "_p_")),
    ])
      expect(Object.values(await opsOf(prefixed)).sort()).toEqual([...ops].sort());
  });

  test("the pack between verb and noun is enough evidence for one tool", async () => {
    expect(await opsOf(["list_p_tasks"])).toEqual({ list_p_tasks: "p.task.list" });
  });

  test("that begin with the name of the pack are entities if they recur", async () => {
    const config = "use: []\nsources: [{ chat-tools: tick.json }]\n";
    const names = ["ticket_create", "ticket_list", "get_ticket_comments", "search_tickets"];
    const source = JSON.stringify(names.map((name) => tool(name)));
    const { tools } = await registryOf({ "toolwright.yaml": config, "tick.json": source });
    expect(tools.map(({ op }) => op)).toEqual([
      "tick.ticket.comments.get",
      "tick.ticket.create",
      "tick.ticket.list",
      "tick.ticket.search",
    ]);
  });

  test("a noun that means the pack is left out", async () => {
    const source = JSON.stringify(["list_notes", "add_note", "get_note_tags", "drop_note"].map((name) => tool(name)));
    const config = "use: []\nsources: [{ chat-tools: notes.json }]\n";
    const { tools } = await registryOf({ "toolwright.yaml": config, "notes.json": source });
    expect(tools.map((one) => one.op)).toEqual(["notes.add", "notes.drop", "notes.list", "notes.tags.get"]);
  });

  test("topics are only ever read, or have no verb", async () => {
    const names = [...TASKS, "get_billing_status", "get_billing_plan_names", "weather_today", "weather_week"];
    const ops = Object.values(await opsOf(names));
    expect(ops).toEqual(
      expect.arrayContaining(["p.billing.status", "p.billing.plan_names", "p.weather.today", "p.weather.week"]),
    );
  });
});

describe("names stay as they are", () => {
  test.each<readonly [what: string, names: readonly string[]]>([
    ["in a pack of three tools", TASKS.slice(0, 3)],
    ["where nothing recurs", ["ping", "render_page", "send_mail", "open_door"]],
    ["with the verb in the middle", [...TASKS, "old_task_list_all"]],
    ["that joins two verbs", [...TASKS, "find_and_delete_task"]],
    ["in another script", [...TASKS, "délete_task"]],
  ])("a name %s is its own op", async (_what, names) => {
    const found = await opsOf(names);
    const name = names.at(-1) ?? "";
    expect(found[name]).toBe(`p.${name}`);
  });

  test("where two tools would have one op", async () => {
    const found = await opsOf([...TASKS, "get_tasks", "getTasks"]);
    expect([found["get_tasks"], found["getTasks"]]).toEqual(["p.get_tasks", "p.getTasks"]);
  });

  test("and say so where their op is taken", async () => {
    const config = "ops: { list_notes: { op: p.task.create } }\n";
    const { explanations = [] } = {
      explanations: [] as Explanation[],
      ...explain("create_task", {
        timings: new Map(),
        counts: new Map(),
        drafts: [],
        ...(await buildProject(
          jsonProject(
            TASKS.map((name) => tool(name)),
            config,
          ),
        )),
      }),
    };
    expect(explanations[0]?.because[0]).toBe("op p.create_task: pack and safe name, since p.task.create is not free");
  });

  test("where the op would begin another op", async () => {
    const found = await opsOf([...TASKS, "task"]);
    expect([found["task"], found["list_tasks"], found["list_notes"]]).toEqual([
      "p.task",
      "p.list_tasks",
      "p.note.list",
    ]);
  });

  test("of upstream servers and HTTP APIs", async () => {
    const tools = TASKS.map((name) => ({ name, inputSchema: { type: "object" } }));
    const { registry } = await buildProject({
      "toolwright.yaml": "use: []\nsources: [{ mcp: s.json }]\n",
      "s.json": JSON.stringify({ tools }),
    });
    expect(registry?.tools.map((one) => one.op).sort()).toEqual(TASKS.map((name) => `s.${name}`).sort());
  });

  test("where a configured op is taken", async () => {
    const found = await opsOf(TASKS, "ops: { list_notes: { op: p.task.create } }\n");
    expect(found["create_task"]).toBe("p.create_task");
  });
});

describe("a pack with configured entities", () => {
  const config = "packs: { p: { entities: { task: tasks } } }\n";

  test("keeps the names that no rule matches, with a warning", async () => {
    const { registry, diagnostics } = await buildProject(
      jsonProject(
        [...TASKS, "ping"].map((name) => tool(name)),
        config,
      ),
    );
    const ops = ["p.note.create", "p.note.list", "p.ping", "p.task.create", "p.task.delete", "p.task.list"];
    expect(registry?.tools.map((one) => one.op).sort()).toEqual(ops);
    const said = diagnostics.filter((one) => one.code === "op-unmatched");
    expect(said.map((one) => [one.severity, one.message.split(";")[0]])).toEqual(
      [
        ["list_notes", "p.note.list"],
        ["create_note", "p.note.create"],
        ["ping", "p.ping"],
      ].map(([name, op]) => ["warning", `no name rule of pack p matches ${name}, so its op is ${op}`]),
    );
  });

  test("keeps names of upstream servers", async () => {
    const snapshot = { tools: [{ name: "ping", inputSchema: { type: "object" } }] };
    const { tools } = await registryOf({
      "toolwright.yaml": `use: []\nsources: [{ mcp: p.json }]\n${config}`,
      "p.json": JSON.stringify(snapshot),
    });
    expect(tools.map((one) => one.op)).toEqual(["p.ping"]);
  });
});

test("the order of tools does not matter", async () => {
  const names = [
    ...TASKS,
    "get_tasks",
    "get_task",
    "get_task_details",
    "list_overdue_tasks",
    "p_sync",
    "acme_note_list",
  ];
  const found = await opsOf(names);
  expect(await opsOf([...names].reverse())).toEqual(found);
  expect(await opsOf([...names].sort())).toEqual(found);
});

test("the README's project gives the README's op and signature", async () => {
  const [, source = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(pageText("README.md")) ?? [];
  const [, config = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(pageText("README.md")) ?? [];
  const [tool] = (await registryOf({ "onto.ts": source, "toolwright.yaml": `use: []\n${config}` })).tools;
  expect([tool?.op, tool?.tool_name, tool?.kind]).toEqual(["onto.task.list", "list_onto_tasks", "read"]);
  expect(tool?.parameters.map((one) => one.name)).toEqual(["project_id", "state_key", "limit"]);
});

test("explain says what an op is inferred from", async () => {
  const build = await buildProject(jsonProject(TASKS.map((name) => tool(name))));
  const { explanations = [] } = {
    ...explain("list_tasks", { drafts: [], timings: new Map(), counts: new Map(), ...build }),
  } as {
    explanations?: readonly Explanation[];
  };
  expect(explanations[0]?.because[0]).toBe("op p.task.list: inferred: verb list, entity task (in 3 tools)");
});
