/**
 * Opens files of typed functions in TypeScript's type checker, in memory: only the project's own files and the compiler's library,
 * so that types do not depend on installed packages. No user code runs.
 */

import { dirname, join } from "node:path/posix";
import { Project, ts } from "ts-morph";
import type { Place, Report } from "../core/diagnostic.js";

/** Files of a project in the type checker. */
export interface TypedProject {
  readonly checker: ts.TypeChecker;
  /** A file by its path relative to the root. */
  readonly sourceFile: (file: string) => ts.SourceFile | undefined;
  readonly placeOf: (node: ts.Node) => Place;
  /** Files that other files of the project import. */
  readonly imported: ReadonlySet<string>;
  /** Whether a file does not parse, which is reported. */
  readonly isBroken: (file: string) => boolean;
  /** Whether a declaration is from the standard library, such as `Date` or `Map`. */
  readonly isLibrary: (declaration: ts.Declaration) => boolean;
}

/** Deep enough that sources outside the root, `../../shared/x.ts`, still have a path. */
const ROOT = "/r/r/r/r/r/r/r/r/r/r";

/** Declarations of `toolwright/codegen` that the types of functions may name. */
const SEAM = `
export type JsonValue = unknown;
export interface JsonObject { readonly [key: string]: unknown }
export interface Context { readonly [key: string]: any }
`;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  types: [],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
};

/**
 * Opens files and what they import from each other.
 *
 * @param read text of a file by its path relative to the root
 */
export function typedProject(
  files: readonly string[],
  read: (file: string) => string | undefined,
  report: Report,
): TypedProject {
  const project = new Project({ useInMemoryFileSystem: true, compilerOptions: OPTIONS });
  project.createSourceFile("/node_modules/toolwright/codegen.d.ts", SEAM);
  const names = new Map<string, string>();
  const { texts, imported } = closure(files, read);
  for (const [file, text] of texts) {
    const path = join(ROOT, file);
    if (!added(project, path, text)) report.add("syntax-error", { file, line: 1, column: 1 }, { reason: TOO_DEEP });
    else names.set(path, file);
  }
  const program = project.getProgram().compilerObject;
  const placeIn = (source: ts.SourceFile, offset: number): Place => {
    const { line, character } = source.getLineAndCharacterOfPosition(offset);
    return { file: names.get(source.fileName) ?? source.fileName, line: line + 1, column: character + 1 };
  };
  const broken = new Set<string | undefined>();
  for (const path of names.keys())
    for (const one of program.getSyntacticDiagnostics(program.getSourceFile(path))) {
      broken.add(names.get(path));
      report.add("syntax-error", placeIn(one.file, one.start), {
        reason: ts.flattenDiagnosticMessageText(one.messageText, " "),
      });
    }
  return {
    checker: program.getTypeChecker(),
    sourceFile: (file) => program.getSourceFile(join(ROOT, file)),
    placeOf: (node) => placeIn(node.getSourceFile(), node.getStart()),
    imported,
    isBroken: (file) => broken.has(file),
    isLibrary: (declaration) => program.isSourceFileDefaultLibrary(declaration.getSourceFile()),
  };
}

const TOO_DEEP = "something in it is nested too deep to be read";

/** Adds a file; false if it is nested so deeply that the recursive parser exhausts the stack. */
function added(project: Project, path: string, text: string): boolean {
  try {
    project.createSourceFile(path, text);
    return true;
  } catch (cause) {
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

interface Closure {
  readonly texts: ReadonlyMap<string, string>;
  readonly imported: ReadonlySet<string>;
}

/** The files and all project files that they import, directly or indirectly. The type checker handles missing files. */
function closure(files: readonly string[], read: (file: string) => string | undefined): Closure {
  const found = new Map<string, string>();
  const imported = new Set<string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const text = read(file);
    if (text === undefined) continue;
    found.set(file, text);
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      const target = fileName.startsWith(".") ? join(dirname(file), fileName) : undefined;
      const there = target && candidates(target).find((one) => found.has(one) || read(one) !== undefined);
      if (!there) continue;
      imported.add(there);
      waiting.push(there);
    }
  }
  return { texts: found, imported };
}

/** `./x.js` and `./x` name `x.ts`. */
const candidates = (path: string): readonly string[] =>
  /\.[mc]?ts$/.test(path)
    ? [path]
    : [
        path.replace(/\.([mc]?)js$/, ".$1ts"),
        `${path}.ts`,
        path.replace(/(\.js)?$/, ".d.ts"),
        join(path, "index.ts"),
      ].filter((one) => one.endsWith("ts"));
