/** Builds the tools of one extension file with the normal build, so that they are described and checked like all other tools. */

import { basename } from "node:path/posix";
import { type Config, packOfFile } from "../../generator/config/config.js";
import type { Compiled } from "../../generator/core/compile.js";
import { type Diagnostic, Report } from "../../generator/core/diagnostic.js";
import type { Definition } from "../../generator/core/ir.js";
import { type BuildHost, buildDefinitions } from "../../generator/pipeline.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import type { Validator } from "../../runtime/contract/validation.js";
import type { ExtensionBuild, ExtensionFault, ExtensionFile } from "./extension-file.js";

/** Builds the tools of a file in memory. The configuration of the project's ops and packs does not apply to them. */
export async function buildExtension(file: ExtensionFile, config: Config): Promise<ExtensionBuild> {
  const report = new Report();
  const found = await definitionsOf(file, report);
  const documented = found.filter(isDocumented).map(ownOp);
  const undocumented = found.filter((one) => !isDocumented(one)).map(({ name }) => name);
  const nothing = { help: new Map(), validators: new Map(), undocumented };
  if (report.failed) return { ...nothing, faults: faultsOf(report.sorted()) };
  const own: Config = { ...config, use: [], sources: [], packs: {}, ops: {}, policies: {}, aliases: {}, reserved: [] };
  const { registry, help, compiled, diagnostics } = await buildDefinitions(documented, own, HOST, report);
  if (!registry || !help || !compiled) return { ...nothing, faults: faultsOf(diagnostics) };
  const validators = new Map([...compiled].map(([op, one]) => [op, validatorOf(one)]));
  return { registry, help, validators, faults: [], undocumented };
}

/** Reads no other files, and does not count tokens, which are not used. */
const HOST: BuildHost = { read: () => undefined, list: () => [], countTokens: () => 0, gatewayTools: [], version: "" };

const isDocumented = ({ description }: Definition): boolean => description.trim() !== "";

async function definitionsOf(file: ExtensionFile, report: Report): Promise<readonly Definition[]> {
  if (file.kind === "python") return pythonDefinitions(file);
  const { readFunctions } = await import("../../generator/source/functions.js");
  const text = file.read(file.file) ?? "";
  const place = { file: file.file, line: 0, column: 0 };
  const entry = { functions: basename(file.file) };
  return readFunctions([{ file: file.file, text, entry, pack: packOfFile(file.file), place, read: file.read }], report);
}

function pythonDefinitions(given: ExtensionFile & { readonly kind: "python" }): readonly Definition[] {
  const { file, summary, functions } = given;
  return functions.map(({ name, description, parameters, result, kind, line }) => ({
    name,
    description,
    parameters,
    ...(result ? { result } : {}),
    annotations: {},
    pack: packOfFile(file),
    declared: { kind },
    ...(summary === "" ? {} : { pack_entry: { summary } }),
    call: { export: name },
    origin: "local",
    place: { file, line, column: 1 },
  }));
}

/**
 * The op has the name of the function, and is a write unless declared otherwise: no rule on names applies. The wire name contains
 * the pack, so that it is unique in the registry.
 */
const ownOp = (one: Definition): Definition => ({
  ...one,
  name: `${one.pack}_${one.name}`,
  declared: { kind: "write", ...one.declared, op: `${one.pack}.${one.name}` },
});

const faultsOf = (diagnostics: readonly Diagnostic[]): readonly ExtensionFault[] =>
  diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ file, line, message, fix }) => ({ file, ...(line > 0 ? { line } : {}), message, remedy: fix }));

function validatorOf({ issuesOf }: Compiled): Validator {
  const validator: Validator = (data) => {
    const issues = issuesOf(data as JsonObject);
    validator.errors = issues.length > 0 ? issues : null;
    return issues.length === 0;
  };
  return validator;
}
