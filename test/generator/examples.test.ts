/** The `@example` of every export of the package: each compiles against the sources. */

import { join } from "node:path";
import { Node, Project, ts } from "ts-morph";
import { describe, expect, test } from "vitest";
import { CHECKOUT } from "../support/project.js";

const project = new Project({ tsConfigFilePath: join(CHECKOUT, "tsconfig.json"), skipAddingFilesFromTsConfig: true });

interface Example {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** Code of the examples of a declaration. */
function examplesOf(node: Node): readonly string[] {
  const holder = Node.isVariableDeclaration(node) ? node.getVariableStatement() : node;
  if (!holder || !Node.isJSDocable(holder)) return [];
  return holder
    .getJsDocs()
    .flatMap((doc) => doc.getTags())
    .filter((tag) => tag.getTagName() === "example")
    .map((tag) => tag.getCommentText() ?? "");
}

/** Exports of a module by name, with their declarations. */
const exportsOf = (module: string) => [
  ...project.addSourceFileAtPath(join(CHECKOUT, module)).getExportedDeclarations(),
];

const isType = (nodes: readonly Node[]): boolean =>
  nodes.every((one) => Node.isInterfaceDeclaration(one) || Node.isTypeAliasDeclaration(one));

/** Each example as a module that imports all names of its package. */
function modulesOf(module: string, specifier: string): readonly Example[] {
  const found = exportsOf(module);
  const given = found.some(([name]) => name === "ProjectGateway") ? "declare const gateway: ProjectGateway;\n" : "";
  const names = found.map(([name, nodes]) => (isType(nodes) ? `type ${name}` : name)).join(", ");
  return found.flatMap(([name, nodes]) =>
    nodes.flatMap(examplesOf).map((text, i) => ({
      name,
      file: join(CHECKOUT, "test", `example-${name}-${i}.ts`),
      text: `import { ${names} } from "${specifier}";\nexport {};\n${text.includes("const gateway =") ? "" : given}${text}\n`,
    })),
  );
}

/** Complaints of the compiler about modules, as `name: message`. */
function complaints(examples: readonly Example[]): readonly string[] {
  const files = examples.map(({ file, text }) => project.createSourceFile(file, text, { overwrite: true }));
  const program = project.getProgram();
  return examples.flatMap(({ name }, i) =>
    [...program.getSyntacticDiagnostics(files[i]), ...program.getSemanticDiagnostics(files[i])].map(
      (one) => `${name}: ${ts.flattenDiagnosticMessageText(one.compilerObject.messageText, " ")}`,
    ),
  );
}

describe.each([
  ["toolwright", "generator/entry/index.ts"],
  ["toolwright/codegen", "runtime/codegen.ts"],
])("the exports of %s", (specifier, module) => {
  test("every export has an example", { tags: "full" }, () => {
    const bare = exportsOf(module).filter(([, nodes]) => nodes.flatMap(examplesOf).length === 0);
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  test("every example compiles", { tags: "full" }, () => {
    const examples = modulesOf(module, specifier);
    expect(examples.length).toBeGreaterThan(30);
    expect(complaints(examples)).toEqual([]);
  });
});

test("an example that does not compile is found", { tags: "full" }, () => {
  const file = join(CHECKOUT, "test", "example-wrong.ts");
  const text = 'import { build } from "toolwright";\nexport const wrong: string = await build();\n';
  expect(complaints([{ name: "wrong", file, text }])).toEqual([
    expect.stringContaining("wrong: Type 'BuildResult' is not assignable to type 'string'"),
  ]);
});
