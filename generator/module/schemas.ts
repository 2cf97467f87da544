/** Turns the input schema of a tool, in the form of its library, into JSON Schema. Runs in the child process that imports a module. */

import { isStandardSchema } from "../../runtime/contract/module-tools.js";

/** Finds a package as the module of the user does. @throws Error if it is not installed */
export type ImportForUser = (specifier: string) => Promise<Readonly<Record<string, unknown>>>;

/** Why a schema cannot be read, and what to do. */
export class UnreadableTool extends Error {
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

type Holder = Readonly<Record<PropertyKey, unknown>>;
type Convert = (schema: unknown, options?: object) => unknown;

/** The dialect that libraries are asked for. */
const TARGET = "draft-2020-12";

/** The exporters of libraries whose schemas have no `jsonSchema` of their own: their package, its function, and options for inputs. */
const EXPORTERS: readonly {
  readonly vendor: string;
  readonly fits: (schema: Holder) => boolean;
  readonly from: string;
  readonly name: string;
  readonly options: object;
  readonly fix: string;
}[] = [
  {
    vendor: "zod",
    fits: (schema) => "_zod" in schema,
    ...{ from: "zod/v4/core", name: "toJSONSchema", options: { io: "input", target: TARGET } },
    fix: "install zod 4, or 3.25 and newer",
  },
  {
    vendor: "zod",
    fits: (schema) => !("_zod" in schema),
    ...{ from: "zod-to-json-schema", name: "zodToJsonSchema" },
    options: { target: "jsonSchema7", pipeStrategy: "input", strictUnions: true },
    fix: "install zod-to-json-schema, or import Zod 4 (`zod/v4`)",
  },
  {
    vendor: "valibot",
    fits: () => true,
    ...{ from: "@valibot/to-json-schema", name: "toJsonSchema", options: { typeMode: "input", target: TARGET } },
    fix: "install @valibot/to-json-schema",
  },
];

/** What to do about a schema whose library has no JSON Schema. */
const PLAIN =
  "write the schema as JSON Schema, or with a library that implements Standard JSON Schema (Zod 4, ArkType, Valibot)";

/**
 * The JSON Schema of what a tool takes.
 *
 * @param schema JSON Schema, a schema of a library, or one of the AI SDK; a function without parameters is called for it
 * @throws UnreadableTool
 */
export async function jsonSchemaOf(schema: unknown, importForUser: ImportForUser): Promise<unknown> {
  if (isStandardSchema(schema)) return standardSchema(schema as Holder, importForUser);
  if (typeof schema === "function") {
    if (schema.length > 0) throw new UnreadableTool("has a function as its input schema", PLAIN);
    const made = (await schema()) as unknown;
    if (typeof made === "function" && !isStandardSchema(made))
      throw new UnreadableTool("has a function as its input schema", PLAIN);
    return jsonSchemaOf(made, importForUser);
  }
  const holder = schema as Holder;
  // `jsonSchema()` of the AI SDK: the schema is made when it is read, and may be a promise.
  if ("jsonSchema" in holder && "validate" in holder) return holder["jsonSchema"];
  if (typeof holder["safeParse"] === "function")
    throw new UnreadableTool("has an input schema of an old library", "update zod to 3.25 or newer");
  const members = Object.values(holder);
  if (members.length > 0 && members.every(isStandardSchema))
    throw new UnreadableTool(
      "has schemas by name as its input schema",
      "join them in an object, such as z.object({ … })",
    );
  return schema;
}

async function standardSchema(schema: Holder, importForUser: ImportForUser): Promise<unknown> {
  const standard = schema["~standard"] as Holder;
  const own = standard["jsonSchema"] as { readonly input?: Convert } | undefined;
  const vendor = String(standard["vendor"]).slice(0, 60);
  if (typeof own?.input === "function") return converted(() => own.input?.({ target: TARGET }));
  const known = EXPORTERS.find((one) => one.vendor === vendor && one.fits(schema));
  if (known) {
    const { from, name, options, fix } = known;
    const module = await importForUser(from).catch(() => undefined);
    const convert = module?.[name];
    if (typeof convert !== "function")
      throw new UnreadableTool(`has an input schema of ${vendor}, for which ${from} is missing`, fix);
    return converted(() => (convert as Convert)(schema, options));
  }
  const { toJsonSchema } = schema as { readonly toJsonSchema?: () => unknown };
  if (typeof toJsonSchema === "function") return converted(() => toJsonSchema.call(schema));
  throw new UnreadableTool(`has an input schema of ${vendor}, which has no JSON Schema`, PLAIN);
}

/** @throws UnreadableTool with the reason of the library */
function converted(convert: () => unknown): unknown {
  try {
    return convert();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableTool(
      `has an input schema that is not JSON Schema: ${reason.split("\n")[0]?.slice(0, 200)}`,
      "use types that JSON has, such as text in the format date-time for a date",
    );
  }
}
