/** Classification: kind, access, target, hints; configuration, then annotations, then names. */

import { describe, expect, test } from "vitest";
import { explain } from "../../../generator/cli/explain.js";
import { buildProject, jsonProject, onlyTool, tool } from "../../support/generator-host.js";

const one = (name: string, ops = "", kind = "") => {
  const project = jsonProject(
    [tool(name, { project_id: { type: "string" } })],
    ops && `ops: { ${name}: { ${ops} } }\n`,
  );
  return onlyTool({ ...project, "toolwright.yaml": (project["toolwright.yaml"] ?? "").replace(", kind: read", kind) });
};

describe("kind", () => {
  test.each([
    ["a read verb", "find_a", "", "", "read"],
    ["a write verb", "tag_a", "", "", "write"],
    ["a write where a read verb stands inside the name", "user_list_delete", "", "", "write"],
    ["a write where a read verb stands behind an unknown one", "clear_search", "", "", "write"],
    ["a write behind and", "find_and_remove", "", "", "write"],
    ["a write that no verb begins", "a_search_delete", "", "", "write"],
    ["a read that ends the name", "a_list", "", "", "read"],
    ["a noun without a verb and a description", "zap_logs", "", "", "write"],
    ["the source's kind before a noun", "a_details", "", ", kind: write", "write"],
    ["the verb of a configured op before that of the name", "a_list", "op: p.a.delete", "", "write"],
    ["a joined write before a configured op", "find_and_remove", "op: p.a.find", "", "write"],
    ["the configuration before the verb", "find_a", "kind: write", "", "write"],
    ["the source's kind for a name without a verb", "overview", "", ", kind: read", "read"],
    ["the verb before the source's kind", "delete_a", "", ", kind: read", "write"],
    ["a write where nothing says", "overview", "", "", "write"],
    ["a list behind a noun that is a verb too", "order_list", "", "", "read"],
    ["a list behind a verb", "export_list", "", "", "write"],
    ["a check of something", "verify_a", "", "", "read"],
    ["a write behind a check", "verify_and_save", "", "", "write"],
    ["getting rid of something", "get_rid_of_a", "", "", "write"],
    ["what reads, behind a write", "delete-reader", "", "", "write"],
    ["what runs", "code-interpreter", "", "", "write"],
    ["the processes that use most", "pods_top", "", "", "read"],
    ["a place at the top", "move_top", "", "", "write"],
    ["a download", "download_a", "", "", "read"],
    ["a download that begins an install", "download_and_install", "", "", "write"],
  ])("is found for %s", async (_what, name, ops, source, kind) =>
    expect((await one(name, ops, source)).kind).toBe(kind),
  );

  test.each(["path", "savePath", "output_dir", "local_file"])(
    "a download with an argument %s is a write",
    async (name) =>
      expect((await onlyTool(jsonProject([tool("download_a", { [name]: { type: "string" } })]))).kind).toBe("write"),
  );

  test.each([
    ["Get the time zone of a place.", "read"],
    ["Returns the time zone. Creates nothing.", "read"],
    ["Retrieves the time zone and then a place.", "read"],
    ["Quickly read a time zone", "read"],
    ["This tool lists zones, oldest first.", "read"],
    ["Use this tool to search zones", "read"],
    ["Read or replace the zone.", "write"],
    ["Lists, adds or removes zones.", "write"],
    ["Get/set the zone", "write"],
    ["Set the zone, to get a time.", "write"],
    ["The zones of a place.", "write"],
    ["Tell the user about the zones", "read"],
    ["Tell a person about the zones", "write"],
    ["Send a prompt to a model and get back zones", "read"],
    ["", "write"],
  ])("a name without a verb, described as %j, is a %s", async (description, kind) => {
    const project = jsonProject([tool("zone_overlay", {}, {}, description)]);
    const config = (project["toolwright.yaml"] ?? "").replace(", kind: read", "");
    const build = await buildProject({ ...project, "toolwright.yaml": config });
    expect(build.registry?.tools.map((found) => found.kind)).toEqual([kind]);
    expect(build.diagnostics.map((found) => found.code)).toContain(kind === "read" ? "kind-described" : "kind-unknown");
  });

  test.each([
    ["a_details", "Get the details of a zone.", "read"],
    ["pdf-reader", "Reads a document.", "read"],
    ["zap_logs", "Zap logs", "write"],
    ["squash_history", "Squash the history of a branch", "write"],
    ["torch_stats", "", "write"],
    ["data_app_store", "Quickly read data of a store", "read"],
    ["data_app_store", "Read or replace data of a store", "write"],
    ["get_access_token", "Rotate and get token", "write"],
    ["count_up", "Increments", "write"],
    ["get_lock", "Acquire a lock", "write"],
    ["list_product", "Puts a product on the marketplace", "write"],
    ["fetch_emails", "Fetch emails and mark them as read", "write"],
    ["defriend_list", "Defriend a list of people", "write"],
    ["take_screenshot", "Take a screenshot of the page", "read"],
    ["query", "Run a SQL query, including INSERT and UPDATE", "write"],
    ["query", "Run a query over the words of pages", "read"],
    ["download_file", "Download a file to disk", "write"],
    ["maps_geocode", "Convert an address to coordinates", "read"],
    ["ask_model", "Sends a prompt to a model", "read"],
  ])("%s, %j, is a %s", async (name, description, kind) => {
    const project = jsonProject([tool(name, {}, {}, description)]);
    const config = (project["toolwright.yaml"] ?? "").replace(", kind: read", "");
    expect((await onlyTool({ ...project, "toolwright.yaml": config })).kind).toBe(kind);
  });

  test.each([
    ["append_drop_table", "Appends"],
    ["enable_self_destruct", "Enables it"],
    ["enable_autodestruct", "Enables it"],
    ["start_cleanup", "Starts it"],
    ["set_expired", "Sets it"],
    ["set_to_null", "Sets it"],
    ["create_db", "Creates the database, dropping one that exists."],
    ["update_doc", "Update a document. Note: previous content is lost."],
    ["set_content", "Set the content. The old one is gone forever."],
    ["rename_item", "Renames the item, clobbering any existing one"],
  ])("%s, %j, is destructive", async (name, description) => {
    const found = await onlyTool(jsonProject([tool(name, {}, {}, description)]));
    expect([found.kind, found.annotations.destructiveHint]).toEqual(["write", true]);
  });

  test("a verb in the name and the source's kind come before the description", async () => {
    const kindOf = async (name: string, source: string) => {
      const project = jsonProject([tool(name, {}, {}, "Get the zone.")]);
      const config = (project["toolwright.yaml"] ?? "").replace(", kind: read", source);
      return (await onlyTool({ ...project, "toolwright.yaml": config })).kind;
    };
    expect(await kindOf("set_zone", "")).toBe("write");
    expect(await kindOf("zone_overlay", ", kind: write")).toBe("write");
  });

  test("the vocabulary can be extended, and words of it changed", async () => {
    const kindOf = async (name: string, vocabulary: string) =>
      (await onlyTool(jsonProject([tool(name)], `ops: {}\nvocabulary: { verbs: { ${vocabulary} } }\n`))).kind;
    expect(await kindOf("ponder_a", "ponder: write")).toBe("write");
    expect(await kindOf("ponder_a", "ponder: read")).toBe("read");
    expect(await kindOf("list_a", "list: write")).toBe("write");
    expect(await kindOf("field_info_a", "field_info_a: write")).toBe("write");
  });

  test("an annotation overrides the name, and the difference is reported with its reason", async () => {
    const snapshot = { tools: [{ name: "user_list_delete", annotations: { readOnlyHint: true } }] };
    const { registry, diagnostics } = await buildProject({
      "toolwright.yaml": "use: []\nsources: [{ mcp: s.json }]\n",
      "s.json": JSON.stringify(snapshot),
    });
    expect(registry?.tools.map((one) => one.kind)).toEqual(["read"]);
    expect(diagnostics.map((one) => one.message)).toContain(
      "s.user_list_delete is read by annotation, although its name says write (verb delete, the last word, outweighs list)",
    );
  });
});

describe("access, target, hints", () => {
  test("access is the kind unless configured", async () => {
    expect([
      (await one("get_a")).access,
      (await one("add_a")).access,
      (await one("get_a", "access: admin")).access,
    ]).toEqual(["read", "write", "admin"]);
  });

  test("a project op finds its project in project_id, else in its first required id, else where it is configured", async () => {
    const pack = "packs: { p: { target: project } }\n";
    const id = { type: "string", "x-id": "task" };
    const from = async (properties: object, required: readonly string[], ops = "") =>
      (await onlyTool(jsonProject([tool("get_a", properties, { required })], pack + ops))).project_from;
    expect(await from({ task_id: id, project_id: { type: "string" } }, ["task_id"])).toBe("project_id");
    expect(await from({ other: { type: "string" }, task_id: id }, ["other", "task_id"])).toBe("task_id");
    expect(await from({ a: {}, task_id: id }, ["task_id"], "ops: { get_a: { project_from: a } }\n")).toBe("a");
    expect(
      (await onlyTool(jsonProject([tool("get_a")], `${pack}ops: { get_a: { target: global } }\n`))).project_from,
    ).toBeUndefined();
  });

  test.each([
    ["get_a", "", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["create_a", "", { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }],
    ["update_a", "", { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["delete_a", "", { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }],
    [
      "create_a",
      "destructive: true, idempotent: true, open_world: true",
      { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    ],
    [
      "get_a",
      "destructive: true, idempotent: false",
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
  ])("%s with { %s }", async (name, ops, hints) => expect((await one(name, ops)).annotations).toEqual(hints));
});

describe("op paths that configuration gives", () => {
  test("`<pack>/<tool>` comes before the bare name, and names the tool of that pack only", async () => {
    const config =
      "use: []\nsources: [{ chat-tools: t.json, pack: a }, { chat-tools: t.json, pack: b }]\nops: { a/get_x: { op: a.y.get }, get_x: { op: b.z.get } }\n";
    const { registry } = await buildProject({ "toolwright.yaml": config, "t.json": JSON.stringify([tool("get_x")]) });
    expect(registry?.tools.map((tool) => tool.op)).toEqual(["a.y.get", "b.z.get"]);
  });

  test.each([
    ["no-path", "is no dotted path of identifiers that Python allows"],
    ["p", "is no dotted path of identifiers that Python allows"],
    ["p..a", "is no dotted path of identifiers that Python allows"],
    ["p.import", "is no dotted path of identifiers that Python allows"],
    ["read.a", "is in a pack called read, a word that help reserves"],
  ])("%s is refused where it stands", async (op, reason) => {
    const { diagnostics } = await buildProject(jsonProject([tool("get_a")], `ops: { get_a: { op: ${op} } }\n`));
    expect(diagnostics.map((found) => [found.line, found.message])).toEqual([[4, `op ${op} ${reason}`]]);
  });

  test.each(["root", "session", "read", "write"])("no pack may be called %s", async (pack) => {
    const { diagnostics } = await buildProject({
      "toolwright.yaml": `sources: [{ chat-tools: t.json, pack: ${pack} }]`,
      "t.json": JSON.stringify([tool("get_a")]),
    });
    expect(diagnostics.map((found) => found.code)).toEqual(["op-invalid"]);
  });

  test("entity and action are the second and the last segment", async () => {
    const parts = async (op: string) => {
      const { entity, action } = await onlyTool(jsonProject([tool("get_a")], `ops: { get_a: { op: ${op} } }\n`));
      return [entity, action];
    };
    expect(await parts("p.search")).toEqual([undefined, "search"]);
    expect(await parts("p.task.docs.list")).toEqual(["task", "list"]);
  });
});

test("explain says by which rule, verb and setting, and answers an unknown name with the nearest", async () => {
  const build = await buildProject(
    jsonProject(
      [tool("list_p_tasks")],
      "packs: { p: { entities: { task: tasks } } }\nops: { list_p_tasks: { aliases: [p.tasks] } }\n",
    ),
  );
  for (const name of ["p.task.list", "list_p_tasks", "p.tasks"]) {
    const explained = explain(name, build as never);
    expect(explained.found && explained.explanations.map((found) => found.because)).toEqual([
      [
        "op p.task.list: rule <verb>_<pack>_<entity>: verb list, entity task",
        "kind read: verb list",
        "access read, target global",
        "entity task, action list",
      ],
    ]);
  }
  expect(explain("p.tsk.list", build as never)).toEqual({ found: false, nearest: "p.task.list" });
});

describe("tools of other people's servers", () => {
  const servers = (tools: readonly object[]) => ({
    "toolwright.yaml": "sources: [{ mcp: servers/*.json }]\n",
    "servers/s.json": JSON.stringify({
      tools: tools.map((each) => ({ description: "Do it.", inputSchema: { type: "object" }, ...each })),
    }),
  });
  const built = async (...tools: readonly object[]) => {
    const { registry, diagnostics } = await buildProject(servers(tools));
    return {
      tools: registry?.tools ?? [],
      said: diagnostics.map((each) => `${each.severity} ${each.code}`),
    };
  };

  test.each([
    ["destructive alone", { destructiveHint: true }, "write"],
    ["destructive and read-only", { destructiveHint: true, readOnlyHint: true }, "write"],
    ["read-only, not destructive", { destructiveHint: false, readOnlyHint: true }, "read"],
    ["not destructive", { destructiveHint: false }, "read"],
  ])("get_a annotated as %s", async (_what, annotations, kind) => {
    const { tools, said } = await built({ name: "get_a", annotations });
    expect(tools.map((each) => [each.kind, each.access, each.annotations.destructiveHint])).toEqual([
      [kind, kind, kind === "write"],
    ]);
    expect(said.includes("warning annotations-contradict")).toBe("readOnlyHint" in annotations && kind === "write");
  });

  test("of tools with one op the one that is called like it keeps it, in any order, and the others get a number", async () => {
    const names = ["get_x", "get-x", "get.x", "getY", "gety", "get_x_2"];
    for (const order of [names, [...names].reverse()]) {
      const { tools, said } = await built(...order.map((name) => ({ name })));
      expect(tools.map((each) => [each.op, each.tool_name])).toEqual([
        ["s.getY_2", "getY"],
        ["s.get_x", "get_x"],
        ["s.get_x_2", "get_x_2"],
        ["s.get_x_3", "get-x"],
        ["s.get_x_4", "get.x"],
        ["s.gety", "gety"],
      ]);
      expect(said.filter((each) => each.endsWith("op-numbered"))).toHaveLength(3);
    }
  });

  test("two arguments with one Python name are numbered, and both originals stay callable", async () => {
    const properties = { a_b: { type: "string" }, "a-b": { type: "integer" }, a_b_2: {} };
    const { tools, said } = await built({ name: "get_x", inputSchema: { type: "object", properties } });
    expect(tools[0]?.parameters.map((each) => [each.original, each.name])).toEqual([
      ["a_b", "a_b"],
      ["a-b", "a_b_3"],
      ["a_b_2", "a_b_2"],
    ]);
    expect(said).toEqual(["info parameter-renamed"]);
  });

  test("an invalid output schema is dropped, and its tool is kept", async () => {
    const bad = [{ type: "strng" }, { type: "object", properties: { a: { $ref: "#/nowhere" } } }];
    for (const outputSchema of bad) {
      const { tools, said } = await built({ name: "get_x", outputSchema });
      expect([tools.length, tools[0]?.result_schema, said]).toEqual([1, undefined, ["warning result-invalid"]]);
    }
  });

  test("a tool nested too deep, and one that asks for a billion entries, cost at most themselves", async () => {
    let deep: object = { type: "string" };
    for (let level = 0; level < 3000; level++) deep = { type: "object", properties: { x: deep } };
    const many = {
      type: "object",
      properties: { a: { type: "array", items: {}, minItems: 1_000_000_000 } },
      required: ["a"],
    };
    const { tools } = await built(
      { name: "get_deep", inputSchema: deep },
      { name: "get_many", inputSchema: many },
      { name: "get_x" },
    );
    expect(tools.map((each) => each.tool_name)).toEqual(["get_many", "get_x"]);
  });
});
