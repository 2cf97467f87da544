/**
 * The Source for typed functions: every exported, documented function of a TypeScript file is a tool and its own handler. Types
 * and comments are read through the type checker; no user code runs. `_name`, `@internal` and files `_name.ts` are ignored.
 */

import { basename } from "node:path/posix";
import { ts } from "@ts-morph/common";
import { closest } from "../../runtime/contract/closest.js";
import { isRecord } from "../../runtime/contract/json.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import type { Report } from "../core/diagnostic.js";
import type { Declared, Definition, PackEntry } from "../core/ir.js";
import {
  argumentForm,
  complaintsOf,
  type ExportedFunction,
  functionInput,
  functionTypeReader,
} from "./exported-function.js";
import { docOf, exampleCalls, reportStrayTags, tagText } from "./function-docs.js";
import type { SourceFile } from "./source.js";
import { staticModules, UNREADABLE } from "./static-eval.js";
import { isOneOfMany } from "./tool-forms.js";
import { isUnresolved, schemaOfType } from "./type-schema.js";
import { type TypedProject, typedProject } from "./typed-project.js";

/** Reads all files of a `functions` entry together, since they share a type checker. */
export function readFunctions(files: readonly SourceFile[], report: Report): readonly Definition[] {
  const typed = files.filter((one) => isTyped(one, report));
  const [first] = typed;
  if (!first) return [];
  const names = typed.map((one) => one.file);
  try {
    const project = typedProject(names, first.read, report);
    // What else is found in a file that does not parse would mislead.
    const whole = typed.filter(({ file }) => !project.isBroken(file));
    return whole.flatMap((file) => definitionsOf(file, project, report));
  } catch (cause) {
    // TypeScript is recursive, so deeply nested text exhausts the stack.
    if (!(cause instanceof RangeError)) throw cause;
    report.add("syntax-error", first.place, { reason: `${names.join(", ")}: something is nested too deep to be read` });
    return [];
  }
}

function isTyped({ file, place }: SourceFile, report: Report): boolean {
  const hidden = basename(file).startsWith("_") || file.endsWith(".d.ts");
  if (!hidden && !file.endsWith(".ts"))
    report.add("function-form", place, { what: `${file} is no TypeScript file`, form: "functions: packs/*.ts" });
  return !hidden && file.endsWith(".ts");
}

function definitionsOf(file: SourceFile, project: TypedProject, report: Report): readonly Definition[] {
  const source = project.sourceFile(file.file);
  const module = source && project.checker.getSymbolAtLocation(source);
  const exported = module ? project.checker.getExportsOfModule(module) : [];
  const all = exported.map((symbol) => functionOf(symbol, file, project, report));
  const found = all.filter((one) => one !== undefined && one !== REFUSED);
  const isHelper = isOneOfMany(file) && project.imported.has(file.file);
  if (found.length === 0 && !(isHelper || file.entry.allow_empty || all.includes(REFUSED)))
    report.add("no-functions", file.place, { file: file.file });
  const pack_entry = packEntry(file, exported, report);
  return found.flatMap((one) => {
    const definition = definitionOf(one);
    return definition ? [{ ...definition, ...(pack_entry ? { pack_entry } : {}) }] : [];
  });
}

/** Marks a function that cannot be a tool; the reason has been reported. */
const REFUSED: unique symbol = Symbol("refused");

/** The tool that an export is; undefined if it is none. */
function functionOf(
  symbol: ts.Symbol,
  file: SourceFile,
  project: TypedProject,
  report: Report,
): ExportedFunction | typeof REFUSED | undefined {
  const { checker } = project;
  const target = (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
  if ((target.flags & ts.SymbolFlags.Value) === 0 || symbol.name.startsWith("_")) return undefined;
  const [signature, second] = checker.getTypeOfSymbol(target).getCallSignatures();
  if (!signature) return undefined;
  const doc = docOf(target, checker);
  if (tagText(doc, "internal") !== undefined) return undefined;
  const here = symbol.declarations?.find((one) => one.getSourceFile() === project.sourceFile(file.file));
  const place = here ? project.placeOf(here) : { file: file.file, line: 1, column: 1 };
  const refuse = (what: string, form: string): typeof REFUSED => {
    report.add("function-form", place, { what, form });
    return REFUSED;
  };
  if (symbol.name === "default") return refuse("a default export has no name", "export function name(args, ctx)");
  if (second) return refuse(`${symbol.name} has several signatures`, "one signature, with optional members");
  return { name: symbol.name, signature, doc, file, project, place, report };
}

function definitionOf(one: ExportedFunction): Definition | undefined {
  const { name, doc, file, place } = one;
  const form = argumentForm(one);
  if (!form) return undefined;
  const result = resultOf(one);
  const [deprecated, destructive] = [tagText(doc, "deprecated"), tagText(doc, "destructive")];
  const note = deprecated === undefined ? "" : `Deprecated${deprecated === "" ? "." : `: ${deprecated}`}`;
  const examples = exampleCalls(doc);
  reportStrayTags(doc, complaintsOf(one));
  return {
    name,
    description: [doc.text, note].filter((text) => text !== "").join("\n\n"),
    parameters: functionInput(one, form),
    ...(result ? { result } : {}),
    annotations: {
      ...(tagText(doc, "open_world") === undefined ? {} : { openWorldHint: true }),
      ...(destructive === undefined ? {} : { destructiveHint: destructive.trim() !== "false" }),
    },
    ...(deprecated === undefined ? {} : { lifecycle: { deprecated: true as const } }),
    pack: file.pack,
    ...(file.entry.kind ? { kind: file.entry.kind } : {}),
    declared: { ...declaredBy(one), ...(examples.length > 0 ? { examples } : {}) },
    call: { export: name, ...(form.kind === "positional" ? { positional: form.names } : {}) },
    origin: "local",
    place,
  };
}

const NOTHING =
  ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Never | ts.TypeFlags.Any | ts.TypeFlags.Unknown;

/** Schema of the result, with its promise unwrapped; undefined if it is not declared. */
function resultOf(one: ExportedFunction): JsonSchema | undefined {
  const { signature, project, doc } = one;
  const { checker } = project;
  const returned = checker.getReturnTypeOfSignature(signature);
  const type = checker.getAwaitedType(returned) ?? returned;
  if ((type.flags & NOTHING) !== 0 && !isUnresolved(type)) return undefined;
  const written = signature.declaration?.type as ts.TypeNode | undefined;
  const promised = written && ts.isTypeReferenceNode(written) && written.typeName.getText() === "Promise";
  const node = promised ? written.typeArguments?.[0] : written;
  const { description: _, ...schema } = schemaOfType({ type, node, path: "" }, functionTypeReader(one, "result"));
  if (Object.keys(schema).length === 0) return undefined;
  const about = tagText(doc, "returns", "return");
  return about ? { ...schema, description: about } : schema;
}

const PACK_FORM = '{ summary: "…", entities: { task: "tasks" }, topics: ["…"] }';

/** `export const pack = { summary, entities, topics }`, read statically. */
function packEntry(file: SourceFile, exported: readonly ts.Symbol[], report: Report): PackEntry | undefined {
  if (
    !exported.some(
      (one) => one.name === "pack" && one.valueDeclaration && ts.isVariableDeclaration(one.valueDeclaration),
    )
  )
    return undefined;
  const modules = staticModules(file.read, report);
  const value = modules.valueOf(file.file, "pack");
  if (value === UNREADABLE) return undefined;
  const texts = (one: unknown): boolean => Object.values(one ?? {}).every((text) => typeof text === "string");
  const { summary, entities, topics, ...others } = isRecord(value) ? value : { none: true };
  const fits =
    Object.keys(others).length === 0 &&
    (summary === undefined || typeof summary === "string") &&
    (entities === undefined || (isRecord(entities) && texts(entities))) &&
    (topics === undefined || (Array.isArray(topics) && texts(topics)));
  if (fits) return value as PackEntry;
  report.add("function-form", modules.declaredAt(file.file, "pack"), {
    what: "`pack` has another form",
    form: PACK_FORM,
  });
  return undefined;
}

const CHOICES = {
  kind: ["read", "write"],
  access: ["read", "write", "admin"],
  target: ["global", "project"],
} as const;

/** What the tags of a function declare. */
export function declaredBy(one: ExportedFunction): Declared {
  const complain = complaintsOf(one);
  const chosen = Object.entries(CHOICES).flatMap(([tag, choices]) => {
    const text = tagText(one.doc, tag);
    if (text === undefined) return [];
    if ((choices as readonly string[]).includes(text)) return [[tag, text] as const];
    const nearest = closest(text, choices);
    complain(
      tag,
      "",
      `is ${JSON.stringify(text)}, not ${choices.join(", ")}${nearest ? `; did you mean ${nearest}?` : ""}`,
    );
    return [];
  });
  const op = tagText(one.doc, "op");
  const project_from = tagText(one.doc, "project_from");
  return { ...Object.fromEntries(chosen), ...(op ? { op } : {}), ...(project_from ? { project_from } : {}) };
}
