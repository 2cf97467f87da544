/** Types become blanks: the code that is left is what a compiler makes of it, at the same lines and columns. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "@ts-morph/common";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { CHECKOUT } from "../../../test/support/project.js";
import { RUNS_SLOW } from "../../../test/support/random.js";
import { changedText, type Refused, typeChanges } from "../strip.js";

const parse = (text: string) => ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2023, true);

function stripped(text: string): { readonly code: string; readonly refused: readonly Refused[] } {
  const refused: Refused[] = [];
  const changes = typeChanges(ts, parse(text), (one) => refused.push(one));
  return { code: changedText(text, changes), refused };
}

/**
 * JavaScript in one form: two texts with the same form have the same tree, apart from empty statements, which stand in place of
 * declarations of types.
 */
const formOf = (code: string, loader: "js" | "ts"): string => {
  const options = { target: "es2023", minifyWhitespace: true, minifySyntax: true, legalComments: "none" } as const;
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } };
  const javascript = loader === "ts" ? transformSync(code, { loader, target: "es2023", tsconfigRaw }).code : code;
  return transformSync(javascript, { loader: "js", ...options }).code;
};

const SAMPLES: readonly (readonly [typed: string, bare: string])[] = [
  ["const a: number = 1", "const a         = 1"],
  ["let a!: string; let b: X<Y>[]", "let a         ; let b        "],
  ["f<string>(1); new Map<string, number>()", "f        (1); new Map                ()"],
  [
    "function f<T>(this: X, a?: T, ...b: T[]): a is T { return a! }",
    "function f   (         a    , ...b     )         { return a  }",
  ],
  ["const x = y as unknown as Z;", "const x = y                ;"],
  ["const x = y as Z\n(f)()", "const x = y;    \n(f)()"],
  ["{ const x = y as Z }\n(f)()", "{ const x = y      }\n(f)()"],
  ["const x = { a: 1 } satisfies X\n[1].map(g)", "const x = { a: 1 };           \n[1].map(g)"],
  ["a\ninterface X { a: 1 }\n(b)", "a\n;                   \n(b)"],
  ["type A = { b: string }; a", ";                       a"],
  ["const f = (a: number)\n  : number => a", "const f = (a         \n         ) => a"],
  [
    "class A<T> extends B<T> implements C { private readonly x: T = 1; declare y: 1; foo?(): void {} }",
    "class A    extends B                 { ;                x    = 1; ;             foo ()       {} }",
  ],
  [
    "abstract class A { abstract a(): void; override b() {} }",
    "         class A { ;                   ;        b() {} }",
  ],
  ["try { a } catch (e: unknown) { b }", "try { a } catch (e         ) { b }"],
  ["const f = async <T,>(x: T): Promise<T> => x", "const f = async     (x   )             => x"],
];

test.each(SAMPLES)("the types of %j become blanks", (typed, bare) => {
  const { code, refused } = stripped(typed);
  expect(refused).toEqual([]);
  expect(code).toBe(bare);
});

const REFUSED: readonly (readonly [code: string, what: string])[] = [
  ["enum A { B }", "an enum"],
  ["const enum A { B }", "an enum"],
  ["namespace A { export const b = 1 }", "a namespace"],
  ["class A { constructor(private x: number) {} }", "a parameter property"],
  ["const x = <T>y", "<T>value"],
  ["@dec class A {}", "a decorator"],
  ["const f = <T,\nU>(x: T) => x", "type parameters over several lines"],
];

test.each(REFUSED)("%j is refused, since it has no meaning without types", (code, what) => {
  expect(stripped(code).refused.map((one) => one.what)).toContain(what);
});

/** A file without the words that only modules have: programs are no modules. */
function asProgram(text: string): string {
  const file = parse(text);
  const ranges = file.statements.flatMap((one) => {
    const isModule =
      ts.isImportDeclaration(one) ||
      ts.isExportDeclaration(one) ||
      ts.isExportAssignment(one) ||
      ts.isImportEqualsDeclaration(one);
    if (isModule) return [[one.getStart(file), one.end] as const];
    const words = ts.canHaveModifiers(one) ? (ts.getModifiers(one) ?? []) : [];
    const exported = words.filter(
      ({ kind }) => kind === ts.SyntaxKind.ExportKeyword || kind === ts.SyntaxKind.DefaultKeyword,
    );
    return exported.map((word) => [word.getStart(file), word.end] as const);
  });
  return changedText(
    text,
    ranges.map(([start, end]) => ({ start, end })),
  );
}

/** What has a meaning of its own without types, so that no file that holds it can be a program. */
const NOT_TYPES: readonly string[] = ["an enum", "a namespace"];
/** One file of so many is tried in the default run. */
const SHARE = 20;

test("the source files of this package become what esbuild makes of them, at their lines and columns", {
  timeout: 600_000,
}, () => {
  const files = ["core", "features", "generator", "runtime"]
    .flatMap((folder) =>
      readdirSync(join(CHECKOUT, folder), { recursive: true }).map((name) => join(folder, `${name}`)),
    )
    .filter((name) => /(?<!\.d)\.m?ts$/.test(name) && !name.includes("node_modules"));
  expect(files.length).toBeGreaterThan(1000);
  const different = files.filter((name, place) => {
    if (!RUNS_SLOW && place % SHARE !== 0) return false;
    const text = asProgram(readFileSync(join(CHECKOUT, name), "utf8"));
    const { code, refused } = stripped(text);
    if (refused.length > 0) return refused.some(({ what }) => !NOT_TYPES.includes(what));
    return code.length !== text.length || formOf(code, "js") !== formOf(text, "ts");
  });
  expect(different).toEqual([]);
});
