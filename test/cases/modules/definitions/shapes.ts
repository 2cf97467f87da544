// The shapes of packages that are too large to install for tests: what the functions of the same names return.

const AI_SCHEMA = Symbol.for("vercel.ai.schema");

/** `jsonSchema()` of the AI SDK. */
export const jsonSchema = (schema: object, { validate }: { validate?: (value: never) => object } = {}) => ({
  [AI_SCHEMA]: true,
  _type: undefined,
  get jsonSchema() {
    return Promise.resolve(schema);
  },
  validate,
});

/** `tool()` of the AI SDK. */
export const aiTool = <T>(tool: T): T => tool;

/** `Type.Object()` of TypeBox: JSON Schema, with a kind that is not enumerable. */
export const typeboxObject = (properties: Record<string, object>) =>
  Object.defineProperty({ type: "object", required: Object.keys(properties), properties }, "~kind", { value: "Object" });

class ToolInputParsingException extends Error {
  override name = "ToolInputParsingException";
}

interface Parsing {
  safeParse: (value: unknown) => { success: boolean; data?: unknown; error?: Error };
}

/** `tool()` of LangChain. */
export class StructuredTool {
  readonly lc_runnable = true;
  readonly lc_kwargs = {};
  readonly name: string;
  readonly description: string;
  readonly schema: Parsing;
  readonly func: (input: never, manager: undefined, config: object) => Promise<unknown>;
  constructor(func: StructuredTool["func"], fields: Pick<StructuredTool, "name" | "description" | "schema">) {
    this.func = func;
    this.name = fields.name;
    this.description = fields.description;
    this.schema = fields.schema;
  }
  async invoke(input: object, config: object = {}): Promise<unknown> {
    const parsed = this.schema.safeParse(input);
    if (!parsed.success) throw new ToolInputParsingException("Received tool input did not match expected schema");
    return this.func(parsed.data as never, undefined, config);
  }
}
