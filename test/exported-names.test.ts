/** Exported names: each one stands for one thing, so a search for it leads to one file. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { expect, test } from "vitest";
import { filesOf } from "./support/imports.js";
import { CHECKOUT } from "./support/project.js";

/** The names that a text declares and exports; re-exports of other files do not count. */
function exportedNames(text: string): readonly string[] {
  const source = ts.createSourceFile("a.tsx", text, ts.ScriptTarget.ES2023);
  const declared = source.statements.filter((one) =>
    (ts.canHaveModifiers(one) ? (ts.getModifiers(one) ?? []) : []).some(
      ({ kind }) => kind === ts.SyntaxKind.ExportKeyword,
    ),
  );
  return declared.flatMap((one) => {
    const named = ts.isVariableStatement(one) ? one.declarationList.declarations : [one as ts.DeclarationStatement];
    return named.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []));
  });
}

/** `NAME: FILE and FILE` for each name that several files export; `textOf` gives the text of a file. */
function sharedNames(files: readonly string[], textOf: (file: string) => string): readonly string[] {
  const filesByName = new Map<string, string[]>();
  for (const file of files)
    for (const name of new Set(exportedNames(textOf(file)))) {
      const at = filesByName.get(name) ?? [];
      filesByName.set(name, [...at, file]);
    }
  return [...filesByName]
    .filter(([, at]) => at.length > 1)
    .map(([name, at]) => `${name}: ${at.join(" and ")}`)
    .sort();
}

test("two files that export one name are named, re-exports and local names aside", () => {
  const texts: Readonly<Record<string, string>> = {
    "a.ts": "export const place = 1;\nexport interface Place {}\nconst own = 2;",
    "b.ts": 'export function place() {}\nexport { other } from "./a.js";\nconst own = 2;',
    "c.ts": "export type Place = string;\nexport async function* other() {}\nexport class Third {}",
  };
  expect(sharedNames(Object.keys(texts), (file) => texts[file] ?? "")).toEqual([
    "Place: a.ts and c.ts",
    "place: a.ts and b.ts",
  ]);
});

test("an exported name occurs in one file of the package", () => {
  const files = ["generator", "runtime"].flatMap(filesOf).filter((file) => /\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(500);
  expect(
    sharedNames(files, (file) => readFileSync(join(CHECKOUT, file), "utf8")),
    "rename one of each two after what it returns or does, or merge them if they are the same",
  ).toEqual([]);
});
