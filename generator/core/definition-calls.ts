/** Validators that call those of shared definitions: each definition is compiled and printed once, however many schemas refer to it. */

import type { _, Ajv, Name } from "ajv";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { mapSubschemas } from "../../runtime/contract/schema-copy.js";
import { apart, type Definitions } from "../../runtime/contract/shared-definitions.js";
import type { ValidationIssue } from "../../runtime/contract/validation.js";

/** Keyword that stands for a reference to a shared definition, with its name. */
export const CALL = "toolwright$call";

/** Keywords whose verdict depends on where a schema stands, so that its definitions stay in it. */
const PLACED = /"(?:unevaluated(?:Items|Properties)|\$id|\$anchor|\$dynamic(?:Ref|Anchor)|\$recursive(?:Ref|Anchor))":/;

const placed = new WeakMap<object, boolean>();

function isPlaced(value: object): boolean {
  const known = placed.get(value) ?? PLACED.test(JSON.stringify(value));
  placed.set(value, known);
  return known;
}

/** A schema that calls definitions, and their names. */
export interface CallingSchema {
  readonly schema: JsonSchema;
  readonly names: ReadonlySet<string>;
}

/** The schema with calls in place of references to shared definitions; undefined if it has none, or if they have to stay in it. */
export function callingSchema(schema: JsonSchema, shared: Definitions | undefined): CallingSchema | undefined {
  if (!shared || isPlaced(shared)) return undefined;
  const parts = apart(schema, shared);
  return parts && !isPlaced(parts.root) ? withCalls(parts.root, parts.isShared) : undefined;
}

/** A schema with calls in place of some of its references. */
export function withCalls(root: JsonSchema, isShared: (name: string) => boolean): CallingSchema {
  const names = new Set<string>();
  const copy = (one: JsonSchema): JsonSchema => {
    const { [CALL]: _, ...own } = one;
    const { $ref, ...rest } = own;
    const name = typeof $ref === "string" ? definitionOf($ref) : undefined;
    if (name === undefined || !isShared(name)) return mapSubschemas(own, copy);
    names.add(name);
    return { ...mapSubschemas(rest, copy), [CALL]: name };
  };
  return { schema: copy(root), names };
}

function definitionOf(ref: string): string | undefined {
  const [, name] = /^#\/\$defs\/([^/]+)$/.exec(ref) ?? [];
  return name === undefined ? undefined : decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A validator of a definition, in this process. */
export type DefinitionValidator = ((data: unknown, at: object) => boolean) & { errors?: unknown };

interface Judging {
  readonly issuesOf: (value: unknown) => readonly ValidationIssue[];
}

/** The validator of a definition, which may be made later than what calls it. */
export function judgeBy(compiled: () => Judging | undefined): DefinitionValidator {
  const judge: DefinitionValidator = (data, { instancePath = "" }: { instancePath?: string }) => {
    const issues = compiled()?.issuesOf(data) ?? [];
    judge.errors = issues.map((one) => ({ ...one, instancePath: instancePath + one.instancePath }));
    return issues.length === 0;
  };
  return judge;
}

/** The text that stands for the validator of a definition in printed code. */
export const callMark = (name: string): string => `toolwright$${Buffer.from(name).toString("hex")}$`;

/** Replaces the texts that stand for validators of definitions. */
export const withCalled = (code: string, called: (name: string) => string): string =>
  code.replace(/\btoolwright\$([0-9a-f]+)\$/g, (_, hex: string) => called(Buffer.from(hex, "hex").toString()));

type NameClass = new (name: string) => Name;

/** Adds the keyword. @param judgeOf the validator of a definition, for validation in this process */
export function withDefinitionCalls(
  ajv: Ajv,
  code: typeof _,
  Named: NameClass,
  judgeOf: (name: string) => DefinitionValidator,
): Ajv {
  const [errors, findings] = [new Named("errors"), new Named("vErrors")];
  return ajv.addKeyword({
    keyword: CALL,
    schemaType: "string",
    code(context) {
      const { gen, schema, data, it } = context;
      const printed = code`${new Named(callMark(schema))}`;
      const judge = gen.scopeValue("keyword", { ref: judgeOf(schema), key: schema, code: printed });
      const path = code`instancePath+${it.errorPath}`;
      context.pass(code`${judge}(${data}, {instancePath: ${path}})`, () => {
        gen.assign(findings, code`${findings} === null ? ${judge}.errors : ${findings}.concat(${judge}.errors)`);
        gen.assign(errors, code`${findings}.length`);
      });
    },
  });
}
