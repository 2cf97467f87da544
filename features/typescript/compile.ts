/**
 * Reads TypeScript programs: syntax, what is certainly wrong, advice by types, the code without types, and the value that it ends with.
 * A program is the body of an async function. Runs in a process of its own, because types can keep a compiler busy for long.
 */

import type { ts as Compiler } from "@ts-morph/common";
import { fenceHint } from "../../runtime/run/fence-processor.js";
import { type AssumedUses, assumedUsesIn } from "./assumed-uses.js";
import { asyncCallbacksIn } from "./async-callbacks.js";
import { followChanges } from "./async-functions.js";
import { changedText, type TextChange, typeChanges } from "./strip.js";

/** What is read, and the types that it may use. */
export interface CompileRequest {
  readonly code: string;
  /** Declarations of the ops, as text. */
  readonly types: string;
}

/** A place in the code as sent, counted from 1. */
export interface ProgramPlace {
  readonly line: number;
  readonly column: number;
}

/** A finding. Certain ones refuse the program. */
export interface CompileFinding extends ProgramPlace {
  readonly isCertain: boolean;
  /** The class of the exception that it would be: `ReferenceError`. */
  readonly name: string;
  readonly message: string;
  /** What was probably meant, or what to do if it begins with `Next: `. */
  readonly hint?: string;
}

/** A call of an op in the code. */
export interface CompiledCall extends ProgramPlace {
  readonly op: string;
  /** The names of its arguments; undefined if not all are in the code. */
  readonly names: readonly string[] | undefined;
}

/** Code that was read. */
export interface CompiledProgram {
  readonly code: string;
  /** Path of the op whose call is directly the value. */
  readonly lastCall: string | undefined;
  readonly calls: readonly CompiledCall[];
  readonly uses: AssumedUses;
}

/** What the syntax says. */
export type CompileAnswer = { readonly compiled: CompiledProgram } | { readonly faults: readonly CompileFinding[] };

/** Begins the function around a program, on its first line. */
const HEAD = "async function __main() {";
/** Where the code begins in the tree of a program. */
export const CODE_START = HEAD.length;
const TAIL = "\n}\nexport {};";
const PROGRAM = "/run.ts";
const TYPES = "/types.d.ts";
const WORLD_FILE = "/world.d.ts";
/** Prefix of the types of packs, in declarations. */
export const PACK_TYPE = "Pack$";
/** Most findings that are reported. */
const MAX_FINDINGS = 20;

/** Names that programs in other places have, with what to do here. */
const ABSENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["fetch", "XMLHttpRequest", "WebSocket", "axios"].map((name) => [name, "there is no network here: call an op"]),
  ),
  ...Object.fromEntries(
    ["require", "module", "exports", "Deno", "Bun"].map((name) => [name, "there are no modules here: call an op"]),
  ),
  process: "there is no process here: values come from ops",
  Buffer: "use a text or a typed array",
  URL: "put the address together as a text",
  URLSearchParams: "put the address together as a text, with encodeURIComponent",
  setInterval: "use a loop with await new Promise((done) => setTimeout(done, ms))",
  Intl: "use toISOString(), toFixed() or your own text",
  Temporal: "use Date",
  WeakRef: "use the value itself",
  FinalizationRegistry: "use try and finally",
  SharedArrayBuffer: "use an array",
  window: "there is no page here: use globalThis",
  document: "there is no page here",
  alert: "use console.log",
  print: "write console.log(value)",
  len: "write list.length",
  range: "write Array.from({ length: n }, (_, i) => i)",
  str: "write String(value)",
  None: "write null",
  True: "write true",
  False: "write false",
};

/** Statements that are refused, by what they are. */
const NO_MODULES = "the ops are there already: call them, as await pack.op({ … })";

/** A compiler for programs. Its files are those that it is given, and the declarations of the language. */
export interface ProgramCompiler {
  /** Reads the syntax. Fast. */
  read(request: CompileRequest): CompileAnswer;
  /** Checks the code that was read last. */
  check(): readonly CompileFinding[];
}

/**
 * Makes a compiler.
 *
 * @param ts - the compiler of TypeScript
 * @param world - declarations of what programs have beside ops: of the language, and of the console
 */
export function programCompiler(ts: typeof Compiler, world: string): ProgramCompiler {
  const { ScriptTarget } = ts;
  const parsed = new Map<string, Compiler.SourceFile>();
  const parse = (name: string, text: string): Compiler.SourceFile => fileOfText(ts, name, text);
  const fileOf = (name: string): Compiler.SourceFile | undefined => parsed.get(name);
  const options: Compiler.CompilerOptions = {
    target: ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    noLib: true,
    noResolve: true,
    types: [],
    strictNullChecks: true,
    noEmit: true,
    skipLibCheck: true,
    skipDefaultLibCheck: true,
  };
  // Nothing of the disk: types may name any path.
  const host: Compiler.CompilerHost = {
    getSourceFile: fileOf,
    getDefaultLibFileName: () => WORLD_FILE,
    writeFile: () => undefined,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (name) => fileOf(name) !== undefined,
    readFile: () => undefined,
    directoryExists: () => false,
    getDirectories: () => [],
  };
  parsed.set(WORLD_FILE, parse(WORLD_FILE, world));
  let earlier: Compiler.Program | undefined;
  let isCurrent = false;
  return {
    read({ code, types }) {
      isCurrent = false;
      try {
        const file = programTree(ts, code);
        const answer = readProgram(ts, file);
        parsed.set(PROGRAM, file);
        if (parsed.get(TYPES)?.text !== types) parsed.set(TYPES, parse(TYPES, types));
        isCurrent = "compiled" in answer;
        return answer;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return { faults: [certain({ line: 1, column: 1 }, "SyntaxError", "the code is nested too deeply")] };
      }
    },
    check() {
      if (!isCurrent) return [];
      try {
        return findings();
      } catch (error) {
        // The stack of the compiler ends at types nested too deeply, of which nothing is known then.
        if (error instanceof RangeError) return [];
        throw error;
      }
    },
  };
  function findings(): readonly CompileFinding[] {
    const program = ts.createProgram({
      rootNames: [PROGRAM, TYPES, WORLD_FILE],
      options,
      host,
      ...(earlier ? { oldProgram: earlier } : {}),
    });
    earlier = program;
    const file = program.getSourceFile(PROGRAM);
    return file ? checkProgram(ts, program, file) : [];
  }
}

const fileOfText = (ts: typeof Compiler, name: string, text: string): Compiler.SourceFile =>
  ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);

/** The tree of a program, in the function around it. */
export const programTree = (ts: typeof Compiler, code: string): Compiler.SourceFile =>
  fileOfText(ts, PROGRAM, HEAD + code + TAIL);

/** The place in the code as sent; what is missing at its end is missing behind its last character. */
function placeOf(file: Compiler.SourceFile, start: number): ProgramPlace {
  const inside = Math.min(Math.max(start, HEAD.length), file.text.length - TAIL.length);
  const { line, character } = file.getLineAndCharacterOfPosition(inside);
  return { line: line + 1, column: character + 1 - (line === 0 ? HEAD.length : 0) };
}

const certain = (place: ProgramPlace, name: string, message: string, hint?: string): CompileFinding => ({
  ...place,
  isCertain: true,
  name,
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** The function around the program; undefined if the code ends it and begins something else. */
function bodyOf(ts: typeof Compiler, file: Compiler.SourceFile): Compiler.Block | undefined {
  const [main, end, ...others] = file.statements;
  const isWhole = main && end && others.length === 0 && ts.isFunctionDeclaration(main) && ts.isExportDeclaration(end);
  return isWhole && main.end === file.text.length - "\nexport {};".length ? main.body : undefined;
}

/** Errors of the parser, which `createSourceFile` keeps on the tree. */
const syntaxErrors = (file: Compiler.SourceFile): readonly Compiler.DiagnosticWithLocation[] =>
  (file as unknown as { readonly parseDiagnostics: readonly Compiler.DiagnosticWithLocation[] }).parseDiagnostics;

/** What the parser refuses in the tree of a program, if anything. */
export function programFault(ts: typeof Compiler, file: Compiler.SourceFile): CompileFinding | undefined {
  const [error] = syntaxErrors(file);
  if (!error && bodyOf(ts, file)) return undefined;
  const message = error ? ts.flattenDiagnosticMessageText(error.messageText, " ") : "a brace too many";
  const jsx = error && jsxIn(ts, file.text);
  if (jsx !== undefined)
    return certain(placeOf(file, jsx), "SyntaxError", "JSX is not available here", "Next: build a text or an object");
  const place = placeOf(file, error?.start ?? HEAD.length);
  return certain(place, "SyntaxError", message.replace(/\.$/, ""), syntaxHint(file, place));
}

/** Where JSX begins in code that is TypeScript with it. */
function jsxIn(ts: typeof Compiler, text: string): number | undefined {
  if (!/<(?:>|[A-Za-z])/.test(text)) return undefined;
  const file = ts.createSourceFile("/run.tsx", text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TSX);
  if (syntaxErrors(file).length > 0) return undefined;
  const find = (node: Compiler.Node): number | undefined =>
    ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node)
      ? node.getStart(file)
      : ts.forEachChild(node, find);
  return find(file);
}

function readProgram(ts: typeof Compiler, file: Compiler.SourceFile): CompileAnswer {
  const wrong = programFault(ts, file);
  if (wrong) return { faults: [wrong] };
  const body = bodyOf(ts, file) as Compiler.Block;
  const refused: CompileFinding[] = [];
  const refuse = (start: number, what: string, instead: string): void =>
    void refused.push(certain(placeOf(file, start), "SyntaxError", what, `Next: ${instead}`));
  for (const { start, what, instead } of modulesIn(ts, file, body)) refuse(start, what, instead);
  const types = typeChanges(ts, file, ({ start, what, instead }) =>
    refuse(start, `${what} is not available here`, instead),
  );
  if (refused.length > 0) return { faults: refused };
  const { changes, lastCall } = endingOf(ts, file, body);
  const own = file.statements[1] as Compiler.Statement;
  const followed = followChanges(ts, file, body, (start) => placeOf(file, start).line);
  const text = changedText(file.text, [...types, ...changes, ...followed, ...settingChanges(ts, file, body)]);
  const code = text.slice(HEAD.length, text.length - (file.text.length - (own.pos - "\n}".length)));
  return { compiled: { code, lastCall, calls: callsIn(ts, file, body), uses: assumedUsesIn(ts, body) } };
}

/** What to do about code that is no program: text around a fence, or an object in place of a value. */
function syntaxHint(file: Compiler.SourceFile, { line }: ProgramPlace): string | undefined {
  const fence = fenceHint(file.text);
  if (fence !== undefined) return `Next: ${fence}`;
  const { [line - 1]: shown = "", length } = file.text.split("\n").slice(0, -2);
  return line === length && /^\s*\{/.test(shown) ? "Next: write an object in parentheses, as ({ … })" : undefined;
}

/** Imports and exports, in the code itself or as a call. */
function modulesIn(ts: typeof Compiler, file: Compiler.SourceFile, body: Compiler.Block) {
  const found: { readonly start: number; readonly what: string; readonly instead: string }[] = [];
  const add = (node: Compiler.Node, what: string, instead = NO_MODULES): void =>
    void found.push({ start: node.getStart(file), what, instead });
  const visit = (node: Compiler.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isImportEqualsDeclaration(node)) add(node, "there is no import here");
    const isMain = node === exportedMain(ts, body);
    if (ts.isExportDeclaration(node) || (ts.isExportAssignment(node) && !isMain))
      add(node, "there is no export here", "end with the value as an expression");
    const exporting = isMain ? [] : exportWords(ts, node);
    if (exporting.length > 0)
      add(node, "there is no export here", `leave out ${exporting.map((one) => one.getText(file)).join(" ")}`);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node, "there is no import here");
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

/** `export` and `default` before a declaration. */
const exportWords = (ts: typeof Compiler, node: Compiler.Node): readonly Compiler.Modifier[] => {
  const { ExportKeyword, DefaultKeyword } = ts.SyntaxKind;
  const words = (ts.canHaveModifiers(node) && ts.getModifiers(node)) || [];
  return words.filter(({ kind }) => kind === ExportKeyword || kind === DefaultKeyword);
};

type ExportedMain =
  | Compiler.FunctionDeclaration
  | (Compiler.ExportAssignment & { readonly expression: Compiler.Expression });

/** The function that a module exports as its default, which programs of other products are: it is called at the end. */
const exportedMain = (ts: typeof Compiler, { statements }: Compiler.Block): ExportedMain | undefined =>
  statements.find((one): one is ExportedMain =>
    ts.isFunctionDeclaration(one)
      ? one.parameters.length === 0 &&
        exportWords(ts, one).length === 2 &&
        (one.name !== undefined || one === statements.at(-1))
      : ts.isExportAssignment(one) && isCallable(ts, bare(ts, one.expression)) && one === statements.at(-1),
  );

/** Whether an expression is a function without parameters. */
const isCallable = (ts: typeof Compiler, node: Compiler.Expression): boolean =>
  (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) && node.parameters.length === 0;

const MAGIC: ReadonlySet<string> = new Set(["__format__", "__sanitize__"]);

/** `const __format__ = "yml"` sets the variable of the run. */
function settingChanges(ts: typeof Compiler, file: Compiler.SourceFile, body: Compiler.Block): readonly TextChange[] {
  return body.statements.flatMap((one) => {
    if (!ts.isVariableStatement(one)) return [];
    const [first, ...others] = one.declarationList.declarations;
    const isMagic = first && others.length === 0 && ts.isIdentifier(first.name) && MAGIC.has(first.name.text);
    return isMagic ? [{ start: one.getStart(file), end: first.name.getStart(file) }] : [];
  });
}

/** How a program ends: its value is that of its last statement. */
function endingOf(ts: typeof Compiler, file: Compiler.SourceFile, body: Compiler.Block) {
  const statements = body.statements.filter((one) => !ts.isEmptyStatement(one));
  const isSole = statements.length === 1;
  const isDeclared = (one: Compiler.Statement): boolean =>
    ts.isFunctionDeclaration(one) || ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one);
  // What is declared below the value, such as functions that it calls, ends nothing.
  const last = isSole ? statements[0] : statements.filter((one) => !isDeclared(one)).at(-1);
  const around = (node: Compiler.Node, before: string, after: string): readonly TextChange[] => [
    { start: node.getStart(file), end: node.getStart(file), text: before },
    { start: node.end, end: node.end, text: after },
  ];
  const exported = exportedMain(ts, body);
  if (exported && ts.isFunctionDeclaration(exported) && exported.name) {
    const words = exportWords(ts, exported).map((one) => ({ start: one.getStart(file), end: one.end }));
    const { end } = body.statements[body.statements.length - 1] as Compiler.Statement;
    return { changes: [...words, { start: end, end, text: `;return ${exported.name.text}()` }], lastCall: undefined };
  }
  if (exported) {
    const [start, called] = [exported.getStart(file), ts.isExportAssignment(exported) ? exported.expression : exported];
    const words = ts.isExportAssignment(exported) ? called.getStart(file) : exportWords(ts, exported).at(-1)?.end;
    const opening = { start, end: words ?? start, text: "return (" };
    return { changes: [opening, { start: called.end, end: called.end, text: ")()" }], lastCall: undefined };
  }
  if (isSole && last && ts.isFunctionDeclaration(last) && last.parameters.length === 0 && last.name)
    return { changes: [{ start: last.end, end: last.end, text: `;return ${last.name.text}()` }], lastCall: undefined };
  if (last && ts.isBlock(last) && isShorthand(ts, last))
    return { changes: around(last, "return (", ")"), lastCall: undefined };
  if (!last || !ts.isExpressionStatement(last)) {
    const returned = last && ts.isReturnStatement(last) ? last.expression : undefined;
    return { changes: [], lastCall: returned && calledBy(ts, returned) };
  }
  const value = bare(ts, last.expression);
  if (isCallable(ts, value) && isSole)
    return { changes: around(last.expression, "return (", ")()"), lastCall: undefined };
  if (isPrint(ts, value)) return { changes: [], lastCall: undefined };
  return { changes: around(last.expression, "return (", ")"), lastCall: calledBy(ts, last.expression) };
}

/** Whether a block is an object of variables: `{ total, ids }`, which does nothing as a block. */
function isShorthand(ts: typeof Compiler, { statements: [only, ...others] }: Compiler.Block): boolean {
  const isNames = (node: Compiler.Expression): boolean =>
    ts.isIdentifier(node) ||
    (ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.CommaToken &&
      isNames(node.left) &&
      isNames(node.right));
  return only !== undefined && others.length === 0 && ts.isExpressionStatement(only) && isNames(only.expression);
}

/** An expression without parentheses and `await`. */
function bare(ts: typeof Compiler, node: Compiler.Expression): Compiler.Expression {
  for (let at = node; ; at = (at as Compiler.AwaitExpression).expression)
    if (!ts.isParenthesizedExpression(at) && !ts.isAwaitExpression(at)) return at;
}

const isPrint = (ts: typeof Compiler, node: Compiler.Expression): boolean =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  ts.isIdentifier(node.expression.expression) &&
  node.expression.expression.text === "console";

const calledBy = (ts: typeof Compiler, node: Compiler.Expression): string | undefined => {
  const call = bare(ts, node);
  return ts.isCallExpression(call) ? pathOf(ts, call.expression) : undefined;
};

/** `onto.task.list` as a path; undefined for any other expression. */
function pathOf(ts: typeof Compiler, node: Compiler.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isPropertyAccessExpression(node) || node.questionDotToken) return undefined;
  const before = pathOf(ts, node.expression);
  return before === undefined ? undefined : `${before}.${node.name.text}`;
}

/** All calls by a path; whether it is that of an op is not known here. */
function callsIn(ts: typeof Compiler, file: Compiler.SourceFile, body: Compiler.Block): readonly CompiledCall[] {
  const found: CompiledCall[] = [];
  const visit = (node: Compiler.Node): void => {
    if (ts.isCallExpression(node)) {
      const op = pathOf(ts, node.expression);
      if (op !== undefined)
        found.push({ op, names: namesIn(ts, node.arguments), ...placeOf(file, node.getStart(file)) });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

/** The names of arguments in an object, if all are there. */
function namesIn(
  ts: typeof Compiler,
  [first, ...others]: readonly Compiler.Expression[],
): readonly string[] | undefined {
  if (!first && others.length === 0) return [];
  if (!first || others.length > 0 || !ts.isObjectLiteralExpression(first)) return undefined;
  const names = first.properties.map((one) => {
    const { name } = one;
    return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;
  });
  return names.every((name) => name !== undefined) ? names : undefined;
}

const UNKNOWN_NAME: ReadonlySet<number> = new Set([2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 18004]);
const UNKNOWN_MEMBER: ReadonlySet<number> = new Set([2339, 2551, 2550, 7053]);
const NOT_ITERABLE: ReadonlySet<number> = new Set([2488, 2548, 2549, 2461, 2495, 2763]);
const ALWAYS_TRUE = 2801;
/** `await`, and `for await`, in a function that is not async: the engine would take it for a name. */
const AWAIT_ELSEWHERE: ReadonlySet<number> = new Set([1308, 1103]);
/** What advice says nothing of: the types of values that nobody declared. */
const SILENT: ReadonlySet<number> = new Set([7006, 7031, 7005, 7034, 7053, 7015, 2322, 2740, 2741, 2739, 2353, 2561]);

function checkProgram(
  ts: typeof Compiler,
  program: Compiler.Program,
  file: Compiler.SourceFile,
): readonly CompileFinding[] {
  const checker = program.getTypeChecker();
  const body = bodyOf(ts, file);
  if (!body) return [];
  const found: CompileFinding[] = [...absentIn(ts, checker, file, body)];
  for (const one of program.getSemanticDiagnostics(file)) {
    const finding = findingOf(ts, checker, file, one);
    if (finding) found.push(finding);
  }
  found.push(...unawaitedIn(ts, checker, file, body));
  for (const { node, message, instead } of asyncCallbacksIn(ts, checker, body))
    found.push(certain(placeOf(file, node.getStart(file)), "TypeError", message, `Next: ${instead}`));
  return found.sort((one, other) => one.line - other.line || one.column - other.column).slice(0, MAX_FINDINGS);
}

/** The innermost node at a place. */
function nodeAt(ts: typeof Compiler, file: Compiler.SourceFile, start: number): Compiler.Node {
  let at: Compiler.Node = file;
  for (;;) {
    const inner: Compiler.Node | undefined = ts.forEachChild(at, (child) =>
      child.getStart(file) <= start && start < child.end ? child : undefined,
    );
    if (!inner) return at;
    at = inner;
  }
}

const packOf = (type: Compiler.Type): string | undefined => {
  const name = type.getSymbol()?.name;
  return name?.startsWith(PACK_TYPE) ? name.slice(PACK_TYPE.length).replaceAll("$", ".") : undefined;
};
const isPromise = (type: Compiler.Type): boolean => type.getSymbol()?.name === "Promise";

/** What a finding is made of. */
interface Diagnosed {
  readonly ts: typeof Compiler;
  readonly checker: Compiler.TypeChecker;
  readonly place: ProgramPlace;
  readonly code: number;
  readonly node: Compiler.Node;
  /** The text of the compiler, and the name that it means. */
  readonly text: string;
  readonly meant: string | undefined;
  /** The expression of the whole range. */
  readonly whole: Compiler.Node;
}

function findingOf(
  ts: typeof Compiler,
  checker: Compiler.TypeChecker,
  file: Compiler.SourceFile,
  { code, start = 0, length = 0, messageText }: Compiler.Diagnostic,
): CompileFinding | undefined {
  if (start < HEAD.length) return undefined;
  const node = nodeAt(ts, file, start);
  const text = ts.flattenDiagnosticMessageText(messageText, " ");
  const meant = /Did you mean (?:to write )?'([^']+)'/.exec(text)?.[1];
  let whole = node;
  while (whole.end < start + length) whole = whole.parent;
  const one: Diagnosed = { ts, checker, place: placeOf(file, start), code, node, text, meant, whole };
  if (UNKNOWN_NAME.has(code)) return unknownName(one);
  if (AWAIT_ELSEWHERE.has(code)) return certain(one.place, "SyntaxError", NOT_ASYNC, MAKE_ASYNC);
  if (code === CONSTANT)
    return certain(one.place, "TypeError", `${node.getText()} is a constant`, `Did you mean: let ${node.getText()}`);
  if (code === DECLARED_TWICE) return certain(one.place, "SyntaxError", `${node.getText()} is declared twice`);
  return (
    unknownMember(one) ?? unawaitedUse(one) ?? (SILENT.has(code) && !isOfArgument(one) ? undefined : adviceOf(one))
  );
}

const NOT_ASSIGNABLE = 2322;
const CONSTANT = 2588;
const DECLARED_TWICE = 2451;

/** Whether a finding is about the value of an argument of an op, whose type is declared. */
function isOfArgument({ ts, checker, code, node }: Diagnosed): boolean {
  if (code !== NOT_ASSIGNABLE) return false;
  let at = node.parent;
  while (ts.isPropertyAssignment(at) || ts.isObjectLiteralExpression(at) || ts.isArrayLiteralExpression(at))
    at = at.parent;
  if (!ts.isCallExpression(at) || !ts.isPropertyAccessExpression(at.expression)) return false;
  return packOf(checker.getTypeAtLocation(at.expression.expression)) !== undefined;
}

const NOT_ASYNC = "await stands in a function that is not async";
const MAKE_ASYNC = "Did you mean: async before the function, and await Promise.all(…) around a map of it";

const adviceOf = ({ place, code, text }: Diagnosed): CompileFinding => ({
  ...place,
  ...{ isCertain: false, name: `TS${code}`, message: text.replace(OF_OPTIONS, "").replace(/\.$/, "") },
});

/** What the compiler says of its options and packages, which a program does not have. */
const OF_OPTIONS =
  /\s*(?:Do you need to (?:change your target library|install type definitions)|Try (?:changing|`)|Consider using '--).*$/s;

/** A variable that is nowhere; a type that is nowhere changes nothing. */
function unknownName({ ts, node, place, meant }: Diagnosed): CompileFinding | undefined {
  if (!ts.isIdentifier(node) || ts.isTypeNode(node.parent) || Object.hasOwn(ABSENT, node.text)) return undefined;
  return certain(place, "ReferenceError", `${node.text} is not defined`, meant && `Did you mean: ${meant}`);
}

/** A member that a pack or a promise does not have. */
function unknownMember(one: Diagnosed): CompileFinding | undefined {
  const { checker, code, place, meant } = one;
  if (!UNKNOWN_MEMBER.has(code)) return undefined;
  const { holder, name } = memberAt(one) ?? {};
  if (holder === undefined || name === undefined) return undefined;
  const type = checker.getTypeAtLocation(holder);
  const instead = code === NEWER_MEMBER ? INSTEAD_OF[`${type.getSymbol()?.name}.${name}`] : undefined;
  if (instead !== undefined && isCalled(one))
    return certain(place, "TypeError", `${holder.getText()}.${name} is not available here`, `Next: ${instead}`);
  if (isPromise(type)) return unawaited(place, `which has no '${name}'`);
  const pack = packOf(type);
  if (pack === undefined) return undefined;
  return certain(place, "TypeError", noFunction(pack, name), meant && `Did you mean: ${pack}.${meant}`);
}

/** The member that is read at a place, by its name, in brackets or by a pattern, and what is asked for it. */
function memberAt({
  ts,
  node,
  whole,
}: Diagnosed): { readonly holder: Compiler.Node; readonly name: string } | undefined {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return { holder: parent.expression, name: parent.name.text };
  if (ts.isElementAccessExpression(whole) && ts.isStringLiteralLike(whole.argumentExpression))
    return { holder: whole.expression, name: whole.argumentExpression.text };
  const pattern = ts.isBindingElement(parent) ? parent.parent : undefined;
  const declared = pattern?.parent;
  return declared && ts.isVariableDeclaration(declared) && declared.initializer && ts.isIdentifier(node)
    ? { holder: declared.initializer, name: node.text }
    : undefined;
}

/** A member of a version of the language that the declarations do not have. */
const NEWER_MEMBER = 2550;
/** Such members that the engine does not have either, by the name of their type. */
const INSTEAD_OF: Readonly<Record<string, string>> = {
  "ArrayConstructor.fromAsync": "await Promise.all(values), or a loop with for await",
};

const isCalled = ({ ts, node }: Diagnosed): boolean => {
  const { parent } = node;
  return ts.isCallExpression(parent.parent) && parent.parent.expression === parent && !parent.parent.questionDotToken;
};

const noFunction = (pack: string, name: string): string => `pack '${pack}' has no function '${name}'`;

/** A promise that is used as its value. */
function unawaitedUse({ checker, code, whole, place }: Diagnosed): CompileFinding | undefined {
  if (code === ALWAYS_TRUE) return unawaited(place, "which is always true");
  if (!NOT_ITERABLE.has(code) || !isPromise(checker.getTypeAtLocation(whole))) return undefined;
  return unawaited(place, "which is no list");
}

const unawaited = (place: ProgramPlace, why: string): CompileFinding =>
  certain(place, "TypeError", `a call gives a promise, ${why}`, "Did you mean: await before the call");

/** Uses of names that the language has elsewhere. */
function absentIn(
  ts: typeof Compiler,
  checker: Compiler.TypeChecker,
  file: Compiler.SourceFile,
  body: Compiler.Block,
): readonly CompileFinding[] {
  const found: CompileFinding[] = [];
  const visit = (node: Compiler.Node): void => {
    if (ts.isIdentifier(node) && Object.hasOwn(ABSENT, node.text) && isValue(ts, node)) {
      const own = checker.getSymbolAtLocation(node)?.declarations?.some((one) => one.getSourceFile() === file);
      const { [node.text]: instead } = ABSENT;
      if (!own)
        found.push(
          certain(
            placeOf(file, node.getStart(file)),
            "ReferenceError",
            `${node.text} is not defined`,
            `Next: ${instead}`,
          ),
        );
    }
    if (!ts.isTypeNode(node)) ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

/** Whether an identifier is read as a variable. */
function isValue(ts: typeof Compiler, node: Compiler.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  // `typeof name` asks whether it is there.
  return ts.isExpression(parent)
    ? !ts.isTypeOfExpression(parent)
    : ts.isStatement(parent) || ts.isVariableDeclaration(parent);
}

/** Calls of ops whose answer nothing waits for. */
function unawaitedIn(
  ts: typeof Compiler,
  checker: Compiler.TypeChecker,
  file: Compiler.SourceFile,
  body: Compiler.Block,
): readonly CompileFinding[] {
  const found: CompileFinding[] = [];
  const visit = (node: Compiler.Node): void => {
    const isLast = node === body.statements.at(-1);
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) && !isLast) {
      const op = pathOf(ts, node.expression.expression);
      if (op?.includes(".") && isPromise(checker.getTypeAtLocation(node.expression)))
        found.push({
          ...placeOf(file, node.getStart(file)),
          isCertain: false,
          name: "unawaited",
          message: `${op}(…) is not awaited: the program goes on before its answer`,
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}
