// The floor: the cost of the libraries alone. Reads a TypeScript array of function tools with the compiler, prints a
// type and a validator for each, digests them, and prints their number.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const { Project, ts } = await import("ts-morph");
const { compile } = await import("json-schema-to-typescript");
const { Ajv } = await import("ajv");
const addFormats = (await import("ajv-formats")).default.default;
const print = (await import("ajv/dist/standalone/index.js")).default.default;

function evaluate(node) {
  if (ts.isObjectLiteralExpression(node))
    return Object.fromEntries(node.properties.map((one) => [one.name.text, evaluate(one.initializer)]));
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(evaluate);
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isPrefixUnaryExpression(node)) return -Number(node.operand.text);
  return node.kind === ts.SyntaxKind.TrueKeyword ? true : node.kind === ts.SyntaxKind.FalseKeyword ? false : null;
}

const without = (value, keyword) =>
  Array.isArray(value)
    ? value.map((one) => without(one, keyword))
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, member]) =>
            key === keyword && typeof member === "string" ? [] : [[key, without(member, keyword)]],
          ),
        )
      : value;

function canonical(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
const source = project.createSourceFile("tools.ts", readFileSync(file, "utf8")).compilerNode;
const declaration = source.statements.find((one) => ts.isVariableStatement(one)).declarationList.declarations[0];
const tools = evaluate(declaration.initializer);
const hash = createHash("sha256");
let [types, validators] = [0, 0];
for (const { function: tool } of tools) {
  const schema = without(tool.parameters, "title");
  const options = { format: false, bannerComment: "", additionalProperties: false };
  types += (await compile(schema, tool.name, options)).length;
  const lean = { meta: false, validateSchema: false, strict: false, allErrors: true, logger: false };
  const ajv = addFormats(new Ajv({ ...lean, code: { source: true, esm: true, lines: true } }));
  validators += print(ajv, ajv.compile(tool.parameters)).length;
  hash.update(canonical(tool));
}
process.stdout.write(
  `${JSON.stringify({ tools: tools.length, types, validators, digest: hash.digest("hex").slice(0, 12) })}\n`,
);
