/** Emits `validators/<pack>.js`: standalone code of Ajv, one block per tool, with helpers from `toolwright/codegen`. */

import { patternKind } from "../../runtime/contract/pattern/bounded-pattern.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { Compiled } from "../core/compile.js";
import { withCalled } from "../core/definition-calls.js";
import { type OpNames, opNames } from "../core/names.js";
import { generatedHeader, jsLiteral, jsString } from "../core/printer.js";
import { boundedValidator } from "./bounded-validator.js";
import { type Emitter, sourcesOf, type VirtualFile } from "./emitter.js";

/** Modules that Ajv requires at run time, and their names in `toolwright/codegen`. */
const KNOWN_NEEDS: readonly (readonly [RegExp, string])[] = [
  [/^require\("ajv\/dist\/runtime\/ucs2length"\)\.default$/, "ucs2length"],
  [/^require\("ajv\/dist\/runtime\/equal"\)\.default$/, "equal"],
  [/^require\("ajv-formats\/dist\/formats"\)\.fullFormats(\.[\w$]+|\["[^"]+"\])$/, "formats"],
];

/** Emits one module of validators per pack, and its types. */
export const validators: Emitter = {
  name: "validators",
  emit: (registry, { compiled }) => {
    const names = opNames(registry.tools.map((one) => one.op));
    const blocks = new Map<string, Block>();
    const printed = (one: Compiled, op: string, isCalled = false): Block => {
      const key = `${isCalled} ${one.code}`;
      const block = blocks.get(key) ?? blockOf(one.code, op, isCalled);
      blocks.set(key, block);
      return block;
    };
    return registry.packs.flatMap((pack) => packModule(registry, pack.name, names, { compiled, printed }));
  },
};

interface Block {
  readonly body: string;
  readonly needs: ReadonlySet<string>;
}

/** The code of one validator as the body of a function that returns it. */
function blockOf(code: string, op: string, isCalled: boolean): Block {
  const root = /export default (\w+);/.exec(code)?.[1] ?? "";
  const bounded = boundedValidator(code, root, isCalled);
  const needs = new Set<string>(bounded.needs);
  const body = bounded.body
    .replace(/^"use strict";/, "")
    .replace(/export const validate = (\w+);/, "")
    .replace(/export default (\w+);/, (_, name: string) => `const validator = ${name};`)
    .replace(/require\("[^"]+"\)(?:\.[\w$]+|\["[^"]+"\])*/g, (call) => {
      const need = KNOWN_NEEDS.find(([pattern]) => pattern.test(call));
      if (!need) throw new Error(`the validator of ${op} needs ${call}, which the seam does not have`);
      needs.add(need[1]);
      return call.replace(need[0], need[1] === "formats" ? "formats$1" : need[1]);
    })
    .replace(PATTERN, (line, name: string, source: string, flags: string) => {
      if (patternKind(JSON.parse(source), flags) === "native") return line;
      needs.add("boundedPattern");
      return `const ${name} = boundedPattern(${source}, "${flags}");`;
    })
    .replace(/[ \t]*\n+/g, "\n")
    .trim();
  return { body: `${withoutUnused(withListedValues(body))}\nreturn validator;`, needs };
}

/** A regular expression as Ajv prints it. */
const PATTERN = /^const (\w+) = new RegExp\(("(?:[^"\\]|\\.)*"), "(u?)"\);$/gm;

/** Writes the values of an `enum` where an error quotes them, if nothing else needs the schema, which is then not printed. */
function withListedValues(body: string): string {
  const others = body.replace(QUOTED, "");
  const schemas = new Map(
    [...body.matchAll(/^const (schema\d+) = (.*);$/gm)].flatMap(([, name = "", text = ""]) =>
      isUsed(name, others) ? [] : [[name, JSON.parse(text)] as const],
    ),
  );
  return body.replace(QUOTED, (whole, before: string, name: string, path: string) => {
    if (!schemas.has(name)) return whole;
    const steps = [...path.matchAll(STEP)].map(([, word, text, at]) => word ?? (text ? JSON.parse(text) : Number(at)));
    return `${before}{allowedValues: ${jsLiteral(steps.reduce((value, step) => value[step], schemas.get(name)))}});`;
  });
}

const isUsed = (name: string, body: string): boolean => new RegExp(`\\b${name}\\b(?! = )`).test(body);

/** A finding that quotes values of a schema: a whole line, so that no text in the code is taken for one. */
const QUOTED =
  /^(vErrors = found\(vErrors, .*)\{allowedValues: (schema\d+)((?:\.[\w$]+|\["(?:[^"\\]|\\.)*"\]|\[\d+\])+)\}\);$/gm;
const STEP = /\.([\w$]+)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/g;

/** Removes unused constants: Ajv prints the whole schema even if no error quotes it. */
const withoutUnused = (body: string): string =>
  body.replace(/^const (schema\d+) = .*\n/gm, (line, name: string) => (isUsed(name, body) ? line : ""));

/** Validators, and their code as blocks. */
interface Printed {
  readonly compiled: ReadonlyMap<string, Compiled>;
  readonly printed: (one: Compiled, op: string, isCalled?: boolean) => Block;
}

/** Code with the names of the functions of its definitions in this file. Those that had none get one, and come later. */
function withNames(body: string, { calls }: Compiled, called: Map<Compiled, string>): string {
  return withCalled(body, (name) => {
    const one = calls?.get(name);
    if (!one) throw new Error(`the validator of the definition ${name} is missing`);
    const known = called.get(one) ?? `definition$${called.size + 1}`;
    called.set(one, known);
    return known;
  });
}

function packModule(
  registry: Registry,
  pack: string,
  names: ReadonlyMap<string, OpNames>,
  { compiled, printed }: Printed,
): readonly VirtualFile[] {
  const tools = registry.tools.filter((one) => one.group === pack);
  const called = new Map<Compiled, string>();
  const blocks = tools.flatMap(({ op }) => {
    const one = compiled.get(op);
    if (!one) return [];
    const { body, needs } = printed(one, op);
    return [{ op, name: (names.get(op) as OpNames).value, block: { body: withNames(body, one, called), needs } }];
  });
  const definitions: { readonly name: string; readonly block: Block }[] = [];
  for (const [one, name] of called) {
    const { body, needs } = printed(one, name, true);
    definitions.push({ name, block: { body: withNames(body, one, called), needs } });
  }
  const needs = [...new Set([...blocks, ...definitions].flatMap((one) => [...one.block.needs]))].sort();
  const start = generatedHeader("//", sourcesOf(registry, pack));
  const imports =
    needs.length > 0 ? `import {\n${needs.map((one) => `  ${one},\n`).join("")}} from "toolwright/codegen";\n` : "";
  const code = blocks.map(({ name, block }) => `export const ${name} = /*@__PURE__*/ (() => {\n${block.body}\n})();\n`);
  const shared = definitions.map(
    ({ name, block }) =>
      `function ${name}(data, at) {\nconst isValid = (${name}.made ??= ${name}Made())(data, at);\n${name}.errors = ${name}.made.errors;\nreturn isValid;\n}\nfunction ${name}Made() {\n${block.body}\n}\n`,
  );
  const index = blocks.map(({ op, name }) => `  ${jsString(op)}: ${name},\n`).join("");
  const types = blocks.map(({ name }) => `export const ${name}: Validator;\n`).join("");
  return [
    {
      path: `validators/${pack}.js`,
      text: `${start}/* eslint-disable */\n${imports}\n${[...code, ...shared].join("\n")}\n/** Validators of this pack by op. */\nexport const validators = {\n${index}};\n`,
    },
    {
      path: `validators/${pack}.d.ts`,
      text: `${start}import type { Validator } from "toolwright/codegen";\n\n${types}\n/** Validators of this pack by op. */\nexport const validators: Readonly<Record<string, Validator>>;\n`,
    },
  ];
}
