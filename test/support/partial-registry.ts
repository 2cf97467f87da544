/** Small registries: parts that a case omits are filled in. */

import type { JsonSchema } from "toolwright/codegen";
import type { Config } from "../../generator/config/config.js";
import type { ComparedRegistry } from "../../generator/core/registry-file.js";
import { digest } from "../../runtime/contract/canonical.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { Parameter, Registry, Tool } from "../../runtime/contract/registry.js";
import type { WrittenConfig } from "../../runtime/contract/settings/project-settings.js";

/** A tool with only the parts that matter. */
export type PartialTool = Partial<Omit<Tool, "annotations" | "policy">> & {
  readonly annotations?: Partial<Tool["annotations"]>;
  readonly policy?: Partial<NonNullable<Tool["policy"]>>;
};

/** One side of a case. */
export interface PartialRegistry {
  readonly tools?: readonly PartialTool[];
  readonly reserved?: Registry["reserved"];
  readonly aliases?: NonNullable<ComparedRegistry["listed"]>["aliases"];
  readonly snippets?: NonNullable<ComparedRegistry["listed"]>["snippets"];
  readonly config?: Omit<WrittenConfig, "sources">;
  readonly snippets_yaml?: string;
  readonly today?: string;
}

const EMPTY: JsonSchema = { type: "object", properties: {} };

/** A whole tool: `get_thing`, op `p.thing.get`, with the given changes. */
export function completeTool(partial: PartialTool = {}): Tool {
  const { op = "p.thing.get", kind = "read", parameters_schema = EMPTY, annotations, policy, ...rest } = partial;
  const parts = op.split(".");
  const read = kind === "read";
  return {
    op,
    tool_name: "get_thing",
    description: "Gets a thing.",
    parameters_schema,
    group: parts[0] ?? "",
    kind,
    ...(parts.length > 2 ? { entity: parts[1] ?? "" } : {}),
    action: parts.at(-1) ?? "",
    examples: [],
    ...(policy ? { policy: { do: [], dont: [], edge_cases: [], source: [], ...policy } } : {}),
    access: kind,
    target: "global",
    aliases: [],
    summary: "Gets a thing.",
    signature: { python: "", typescript: "" },
    parameters: parametersOf(parameters_schema),
    annotations: {
      readOnlyHint: read,
      destructiveHint: false,
      idempotentHint: read,
      openWorldHint: false,
      ...annotations,
    },
    constraints: [],
    notes: [],
    source: { kind: "local", file: "definitions/p.json" },
    tokens: { definition: 0, help: 0 },
    digest: { input: digest(parameters_schema), docs: "", op: "" },
    ...rest,
  };
}

/** Required arguments first, then as declared, as the generator has them. */
function parametersOf({ properties, required }: JsonSchema): readonly Parameter[] {
  const names = Array.isArray(required) ? required : [];
  const all = Object.entries(isSchema(properties) ? properties : {}).map(([name, schema]): Parameter => {
    const aliases = isSchema(schema) && Array.isArray(schema["x-aliases"]) ? schema["x-aliases"] : [];
    return { name, original: name, required: names.includes(name), aliases: aliases as string[], type: "any" };
  });
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/** A whole registry with what its help index lists. */
export function completeFile(from: string, partial: PartialRegistry): ComparedRegistry {
  const { tools = [], reserved = [], aliases = [], snippets = [] } = partial;
  const registry: Registry = {
    ir_version: 1,
    registry_version: "0".repeat(64),
    tools: tools.map(completeTool),
    packs: [],
    reserved,
  };
  return { from, registry, listed: { aliases, snippets } };
}

/** A configuration without places. */
export const configOf = (values: Omit<WrittenConfig, "sources"> = {}): Config => ({
  sources: [],
  ...values,
  place: () => ({ file: "definitions/toolwright.yaml", line: 0, column: 0 }),
});
