// Writes a program as several CommonJS files: what most starts need, and others, which are loaded when one of their modules is first
// imported. A start then reads and compiles a third of the program. esbuild splits ES modules only, so its chunks are converted.
import { transform } from "esbuild";

/** Longest lines, as in the stack traces of errors. */
const LINE_LIMIT = 200;
/** What esbuild writes before each converted chunk; a file has it once. */
const HELPERS =
  /^(?:var __(?:create|defProp|getOwnPropDesc|getOwnPropNames|getProtoOf|hasOwnProp|export|copyProps|toESM|toCommonJS) = (?:[^\n]*[^\n{(]|[^\n]*[{(]\n(?:(?: [^\n]*|\n?)\n)*[)}]+);\n)+/;
/** Loads chunks of all files; a chunk that is imported twice is run once. */
const LOADER = `
const $made = new Map();
const $isChunk = (name) => name.startsWith("./") && name.endsWith(".mjs");
const $require = Object.assign((name) => ($isChunk(name) ? $chunk(name) : require(name)), require);
const $import = (name) => Promise.resolve().then(() => $chunk(name));
const $parts = new Map();
function $part(file) {
  const part = $parts.get(file) ?? module.part(file);
  $parts.set(file, part);
  return part;
}
function $chunk(name) {
  const known = $made.get(name);
  if (known) return known.exports;
  const made = { exports: {} };
  $made.set(name, made);
  ($chunks[name] ?? $part($places[name] ?? $last)[name])(made, $require, $import);
  return made.exports;
}
`;

/**
 * @param built result of a build with `splitting`, `metafile`, without `write`, and with the extension .mjs
 * @param files source files by the name of the file that has their chunks and those that they import statically, unless a file before
 * it has them. The first source file of all is the program; the last file gets the chunks that are left
 * @param head first lines of all files
 * @returns names and texts of the files
 */
export async function inParts({ outputFiles, metafile: { outputs } }, files, head) {
  const entries = new Map(Object.entries(outputs).map(([path, { entryPoint }]) => [entryPoint, path]));
  const fileOf = new Map();
  const add = (path, file) => {
    if (fileOf.has(path)) return;
    fileOf.set(path, file);
    for (const { kind, external, path: to } of outputs[path].imports)
      if (kind === "import-statement" && !external) add(to, file);
  };
  // The node_modules of a checkout may lie outside of it.
  const chunkOf = (source) => entries.get(source) ?? [...entries].find(([entry]) => entry?.endsWith(`/${source}`))?.[1];
  for (const [file, sources] of Object.entries(files))
    for (const source of sources) {
      if (!chunkOf(source)) throw new Error(`${source} is imported by no import(), so it has no chunk of its own`);
      add(chunkOf(source), file);
    }
  const nameOf = (path) => `./${path.split("/").at(-1)}`;
  const circular = inCycles(outputs);
  const [first, ...others] = Object.keys(files);
  const last = others.at(-1);
  const chunks = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const output = Object.keys(outputs).find((one) => nameOf(one) === nameOf(path));
      return { name: nameOf(path), file: fileOf.get(output) ?? last, ...(await converted(text, circular.has(output))) };
    }),
  );
  const helpers = chunks.map((one) => one.helpers).sort((a, b) => b.length - a.length)[0];
  const objectOf = (file) =>
    `{ __proto__: null,\n${chunks.flatMap(({ name, file: own, code }) => (own === file ? `${JSON.stringify(name)}(module, require, $import) {\n${code}}` : [])).join(",\n")}\n}`;
  const places = chunks.flatMap(({ name, file }) => (file === first || file === last ? [] : [[name, file]]));
  const constants = `const $last = ${JSON.stringify(last)}, $places = { __proto__: null, ...${JSON.stringify(Object.fromEntries(places))} };`;
  const start = nameOf(chunkOf(files[first][0]));
  const textOf = (file) =>
    file === first
      ? `${head}\n${helpers}const $chunks = ${objectOf(file)};\n${constants}\n${LOADER}module.exports = $chunk(${JSON.stringify(start)});\n`
      : `${head}\n${helpers}module.exports = ${objectOf(file)};\n`;
  return Promise.all([first, ...others].map(async (file) => [file, await minified(textOf(file))]));
}

const minified = async (text) =>
  (await transform(text, { minifyWhitespace: true, lineLimit: LINE_LIMIT, platform: "node", target: "node20" })).code;

/** The chunks that import themselves, over others. */
function inCycles(outputs) {
  const importsOf = (path) =>
    outputs[path].imports.flatMap(({ kind, external, path: to }) =>
      kind === "import-statement" && !external ? [to] : [],
    );
  const reaches = (from, wanted) => {
    const seen = new Set();
    const left = importsOf(from);
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      if (at === wanted) return true;
      if (!seen.has(at)) left.push(...importsOf(at));
      seen.add(at);
    }
    return false;
  };
  return new Set(Object.keys(outputs).filter((path) => reaches(path, path)));
}

/** The exports of a chunk as esbuild writes them: a getter each, and copied by getters. */
const EXPORTS =
  /^var (\w+) = \{\};\n__export\(\1, \{\n((?: {2}[^\n]*: \(\) => [\w$.]+,?\n)*)\}\);\nmodule\.exports = __toCommonJS\(\1\);\n/;

/**
 * Exports values in place of getters, once the chunk has run: V8 looks a getter of a large object up anew at each use, which took a
 * twentieth of the time of a call. What is assigned to later keeps its getter.
 */
function withValues(code) {
  const found = EXPORTS.exec(code);
  if (!found) return code;
  const [head, , list] = found;
  const own = code.slice(head.length);
  const changing = assignedIn(own);
  const members = list.replace(/^ {2}([^\n]*): \(\) => ([\w$.]+)/gm, (_, name, value) =>
    value.includes(".") || changing.has(value) ? `  get ${name}() { return ${value}; }` : `  ${name}: ${value}`,
  );
  return `${own}module.exports = {\n${members}};\n`;
}

const ASSIGNED =
  /(?:\bvar\s+([\w$]+)|([\w$]+))\s*(?:[-+*/%&|^?<>]{1,3})?=(?![=>])|([\w$]+)\s*(?:\+\+|--)|(?:\+\+|--)\s*([\w$]+)|\bfor\s*\(\s*([\w$]+)\s+(?:of|in)\b/g;
/** The end of a pattern that is assigned to. */
const PATTERN_END = /[\]}]\s*(?:=(?![=>])|(?:of|in)\b)/g;

/** The text of a bracket to its opening one. */
function bracketBefore(code, end) {
  let start = end;
  for (let depth = 0; start >= 0; start--) {
    if ("]}".includes(code[start])) depth++;
    else if ("[{".includes(code[start]) && --depth === 0) break;
  }
  return code.slice(start, end);
}

/** Names that code may assign to after they were declared, or some more: those of nested scopes and in texts count too. */
function assignedIn(code) {
  const declared = new Set();
  const assigned = new Set();
  for (const [, name, ...others] of code.matchAll(ASSIGNED)) {
    if (name === undefined || declared.has(name)) assigned.add(name ?? others.find(Boolean));
    else declared.add(name);
  }
  for (const { index } of code.matchAll(PATTERN_END))
    for (const [name] of bracketBefore(code, index).matchAll(/[\w$]+/g)) assigned.add(name);
  return assigned;
}

/** A chunk as CommonJS, without the helpers that it begins with. */
async function converted(text, isCircular) {
  // Converted by esbuild, import() of a chunk would get the default export of a CommonJS module.
  const source = text.replace(/\bimport\(("\.\/[^"]+\.mjs")\)/g, "$import($1)");
  const options = {
    format: "cjs",
    sourcefile: "chunk.mjs",
    platform: "node",
    target: "node20",
    supported: { "dynamic-import": false },
  };
  const { code } = await transform(source, options);
  if (/__toESM\(require\("\.\/[^"]+\.mjs"/.test(code)) throw new Error("a chunk imports all of another one statically");
  const helpers = HELPERS.exec(code)?.[0] ?? "";
  const own = code.slice(helpers.length);
  return { helpers, code: isCircular ? own : withValues(own) };
}
