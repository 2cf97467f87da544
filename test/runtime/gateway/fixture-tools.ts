/** A small hand-written registry, as the generator would create it. */

import type { JsonObject, JsonSchema, Kind } from "../../../runtime/codegen.js";
import type { HelpDocument } from "../../../runtime/contract/help.js";
import type { Constraint, Parameter, Tool } from "../../../runtime/contract/registry.js";
import { typeText } from "../../../runtime/contract/type-text.js";

interface Spec {
  readonly op: string;
  readonly tool: string;
  readonly kind: Kind;
  readonly schema: JsonSchema;
  readonly extra?: Partial<Tool>;
}

const id = (kind: string, prefix: string, more: JsonSchema = {}): JsonSchema => ({
  type: "string",
  "x-id": kind,
  pattern: `^${prefix}_[A-Za-z0-9_-]{1,60}$`,
  ...more,
});
const TASK = id("task", "task", { "x-aliases": ["id"] });
const PROJECT = id("project", "proj");
const STATE: JsonSchema = {
  type: "string",
  enum: ["todo", "in_progress", "blocked", "done"],
  "x-values": { completed: "done", pending: "todo" },
};
const TITLE: JsonSchema = { type: "string", pattern: "\\S", maxLength: 40, "x-aliases": ["name", "task_title"] };
const LIMIT: JsonSchema = { type: "integer", minimum: 1, maximum: 50, default: 20 };
export const closed = (properties: JsonObject, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const json = (schema: JsonSchema): JsonObject => schema as JsonObject;
const CONNECTION = closed(
  { kind: { type: "string", enum: ["task", "goal"] }, id: json(id("", "[a-z]+", { "x-aliases": ["entity_id"] })) },
  ["kind", "id"],
);
const REF = closed({ temp_id: { type: "string" }, kind: { type: "string", enum: ["task", "goal"] } }, [
  "temp_id",
  "kind",
]);

const SPECS: readonly Spec[] = [
  {
    op: "admin.keys.list",
    tool: "list_keys",
    kind: "read",
    schema: closed({}),
    extra: { access: "admin" },
  },
  {
    op: "onto.edge.link",
    tool: "link_onto_entities",
    kind: "write",
    schema: {
      ...closed(
        {
          src_kind: { type: "string", enum: ["task", "goal"] },
          src_id: json(id("", "[a-z]+")),
          dst_kind: { type: "string", enum: ["task", "goal"] },
          dst_id: json(id("", "[a-z]+")),
          rel: { type: "string", "x-aliases": ["relationship"] },
        },
        ["src_kind", "src_id", "dst_kind", "dst_id", "rel"],
      ),
      "x-endpoints": { from: ["src_kind", "src_id"], to: ["dst_kind", "dst_id"] },
    },
  },
  {
    op: "onto.project.create",
    tool: "create_onto_project",
    kind: "write",
    schema: closed(
      {
        project: json(
          closed(
            {
              name: { type: "string", pattern: "\\S" },
              state_key: { type: "string", enum: ["planning", "active"], default: "planning" },
            },
            ["name"],
          ),
        ),
        entities: {
          type: "array",
          items: json(
            closed({ temp_id: { type: "string" }, kind: { type: "string" }, title: { type: "string" } }, [
              "temp_id",
              "kind",
            ]),
          ),
        },
        relationships: {
          type: "array",
          items: {
            anyOf: [
              { type: "array", items: json(REF), minItems: 2, maxItems: 2 },
              json(closed({ from: { type: "string" }, to: { type: "string" } }, ["from", "to"])),
            ],
          },
        },
      },
      ["project", "entities", "relationships"],
    ),
  },
  {
    op: "onto.project.graph.reorganize",
    tool: "reorganize_onto_project_graph",
    kind: "write",
    schema: closed(
      {
        project_id: json(PROJECT),
        nodes: {
          type: "array",
          minItems: 1,
          items: json(
            closed(
              {
                id: json(id("", "[a-z]+")),
                kind: { type: "string", enum: ["task", "goal"] },
                connections: { type: "array", items: json(CONNECTION) },
              },
              ["id", "kind", "connections"],
            ),
          ),
        },
        dry_run: { type: "boolean", default: true },
      },
      ["project_id", "nodes"],
    ),
  },
  {
    op: "onto.search",
    tool: "search_ontology",
    kind: "read",
    schema: closed({ query: { type: "string", "x-aliases": ["search", "q"] } }, ["query"]),
  },
  {
    op: "onto.task.create",
    tool: "create_onto_task",
    kind: "write",
    schema: closed(
      {
        project_id: json(PROJECT),
        title: json(TITLE),
        state_key: json({ ...STATE, default: "todo" }),
        priority: { type: "integer", minimum: 1, maximum: 5, default: 3 },
        connections: { type: "array", items: json(CONNECTION) },
        props: { type: "object" },
      },
      ["project_id", "title"],
    ),
    extra: {
      policy: {
        do: ["asked for"],
        dont: ["to look busy"],
        edge_cases: ["ask once"],
        source: [{ rule: "do[0]", line_start: 2, line_end: 2 }],
      },
    },
  },
  {
    op: "onto.task.delete",
    tool: "delete_onto_task",
    kind: "write",
    schema: closed({ task_id: json(TASK) }, ["task_id"]),
  },
  {
    op: "onto.task.doc.create_or_attach",
    tool: "create_task_document",
    kind: "write",
    schema: closed(
      {
        task_id: json(TASK),
        document_id: json(id("document", "doc")),
        title: { type: "string" },
        description: { type: "string" },
      },
      ["task_id"],
    ),
    extra: {
      aliases: ["onto.task.docs.create_or_attach"],
      constraints: [{ kind: "one_of", branches: [["document_id"], ["title", "description"]] }],
    },
  },
  {
    op: "onto.task.docs.list",
    tool: "list_task_documents",
    kind: "read",
    schema: closed({ task_id: json(TASK) }, ["task_id"]),
    extra: { aliases: ["onto.task.doc.list"] },
  },
  {
    op: "onto.task.list",
    tool: "list_onto_tasks",
    kind: "read",
    schema: closed({ project_id: json(PROJECT), state_key: json(STATE), limit: json(LIMIT) }),
  },
  {
    op: "onto.task.search",
    tool: "search_onto_tasks",
    kind: "read",
    schema: closed({ search: { type: "string", "x-aliases": ["query", "q"] }, limit: json(LIMIT) }, ["search"]),
  },
  {
    op: "onto.task.update",
    tool: "update_onto_task",
    kind: "write",
    schema: closed(
      {
        task_id: json(TASK),
        title: json(TITLE),
        description: { type: "string" },
        update_strategy: { type: "string", enum: ["replace", "append"], default: "replace" },
        due_at: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
        expected_version: { type: "integer" },
      },
      ["task_id"],
    ),
    extra: {
      constraints: [
        { kind: "at_least_one_change", of: ["title", "description", "due_at"] },
        { kind: "requires", argument: "update_strategy", equals: "append", needs: ["description"] },
      ],
    },
  },
  {
    op: "util.buildos.overview",
    tool: "get_buildos_overview",
    kind: "read",
    schema: closed({}),
    extra: { target: "global" },
  },
  {
    op: "util.echo.open",
    tool: "open_echo",
    kind: "read",
    schema: { type: "object", properties: { $filter: { type: "string" }, text: { type: "string" } } },
    extra: { target: "global" },
  },
  {
    op: "util.web.search",
    tool: "web_search",
    kind: "read",
    schema: closed({ query: { type: "string" } }, ["query"]),
    extra: { target: "global" },
  },
  {
    op: "util.web.visit",
    tool: "web_visit",
    kind: "read",
    schema: closed({ url: { type: "string" } }, ["url"]),
    extra: { target: "global" },
  },
  { op: "zeta.hidden.write", tool: "hidden_write", kind: "write", schema: closed({}), extra: { target: "global" } },
];

function parametersOf(schema: JsonSchema): readonly Parameter[] {
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = (schema["required"] ?? []) as readonly string[];
  const names = Object.keys(properties).sort((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  return names.map((original) => {
    const property = properties[original] as JsonSchema;
    const aliases = (property["x-aliases"] ?? []) as readonly string[];
    const preset = property["default"];
    return {
      name: original.replaceAll(/\W/g, "_"),
      original,
      required: required.includes(original),
      aliases,
      type: typeText(property, schema),
      ...(preset === undefined ? {} : { default: preset }),
    };
  });
}

/** One tool, with what the generator derives from its input. */
export function toolOf({ op, tool, kind, schema, extra }: Spec): Tool {
  const segments = op.split(".");
  const write = kind === "write";
  const parameters = parametersOf(schema);
  const args = Object.fromEntries(parameters.filter((p) => p.required).map((p) => [p.original, `<${p.original}>`]));
  return {
    op,
    tool_name: tool,
    description: `About ${op}.`,
    parameters_schema: schema,
    group: segments[0] ?? "",
    kind,
    ...(segments.length > 2 ? { entity: segments[1] ?? "" } : {}),
    action: segments.at(-1) ?? "",
    examples: [{ op, args }],
    access: kind,
    target: "project",
    aliases: [],
    summary: `${segments.at(-1)} ${segments.slice(1, -1).join(" ")} things.`,
    signature: { python: `${op}()`, typescript: `${op}()` },
    parameters,
    annotations: { readOnlyHint: !write, destructiveHint: write, idempotentHint: !write, openWorldHint: false },
    constraints: [] as readonly Constraint[],
    notes: [],
    source: { kind: "local", file: `${segments[0]}/tools.ts` },
    tokens: { definition: 1, help: 1 },
    digest: { input: "i", docs: "d", op: "o" },
    ...extra,
  };
}

/** The tools, sorted by op. */
export const TOOLS: readonly Tool[] = SPECS.map(toolOf);

/** The help document that the generator would write for a tool. */
export function documentFor(tool: Tool): HelpDocument {
  return {
    kind: tool.kind,
    summary: tool.summary,
    usage: `${tool.op}(${tool.parameters.map((p) => (p.required ? p.name : `${p.name}?`)).join(", ")})`,
    args: tool.parameters.map((p) => ({
      name: p.name,
      type: p.type,
      ...(p.required ? { required: true as const } : {}),
      description: "x",
    })),
    notes: ["a note"],
    ...(tool.policy ? { policy: tool.policy } : {}),
    examples: [{ title: "first", ...tool.examples[0], op: tool.op, args: tool.examples[0]?.args ?? {} }],
    description: tool.description,
    returns: "something",
    errors: ["NOT_FOUND"],
    see_also: [],
    constraints: [],
  };
}
