// Loads a bundle with V8's code cache: compiling a large program takes longer than all else that a start does. Node 20 keeps such a cache for no
// program, so it is kept here, in a folder of the user's own. A cache that another version of Node.js or of the program wrote is not used.
import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { setV8Flags } from "./v8-flags.mjs";

const { env } = process;
/** The first word of the command line, if it can be a command. */
const COMMAND = /^[a-z]{1,20}$/.exec(process.argv[2] ?? "")?.[0] ?? "help";
const DAY_MS = 86_400_000;
/** A cache that no process has written for this long is deleted. */
const MAX_AGE_MS = 30 * DAY_MS;
/** Of more caches, those that were written first are deleted: each command of each installation has up to four. */
const MAX_FILES = 256;
/** How long a process runs before it writes the cache, unless it ends before: what a start needs is compiled by then. */
const WRITE_AFTER_MS = 3000;

/**
 * TypeScript. A command uses a part of it. The bundle requires it by the name of the package that holds it; that package would load 3 MB of
 * declarations, too.
 */
const TYPESCRIPT = { name: "@ts-morph/common", file: "@ts-morph/common/dist/typescript.js" };

/**
 * Sets V8 up for the command, and loads a CommonJS bundle: a comment with its digest, and the function that Node.js makes of such a module. Each command of the
 * program has a cache of its own, since it compiles other functions. The bundle itself cannot use `import()`; it loads another one beside it, in the same way, with `module.part(name)`.
 *
 * @param file absolute path of the bundle
 * @param folder of the cache; undefined for no cache
 * @returns what the bundle exports
 */
export function loadProgram(file, folder = userCache()) {
  return load(file, { folder, ...setV8Flags(COMMAND) });
}

function load(file, caching) {
  const source = textOf(readFileSync(file));
  const digest = /^\/\/ ([0-9a-f]+)\n/.exec(source)?.[1];
  const module = { exports: {}, part: (part) => load(join(dirname(file), part), caching) };
  compiled(source, file, digest, caching)(module.exports, requireOf(file, caching), module, file, dirname(file));
  return module.exports;
}

/** V8 takes ASCII as it is: decoding UTF-8 would cost as much as half of an empty start of Node.js. */
const textOf = (bytes) => bytes.toString(isAscii(bytes) ? "latin1" : "utf8");

/**
 * The value of a script, compiled with the code that an earlier run of this command has kept under the digest. The code names the file that it was
 * compiled from in stack traces, so that of another file with the same content is not used.
 */
function compiled(source, file, digest, { folder, asAtStart, keepCode }) {
  const isKept = folder !== undefined && digest !== undefined && !env["NODE_DISABLE_COMPILE_CACHE"];
  const cache = isKept
    ? join(folder, `${COMMAND}-${digest}-${digestOf(file, 8)}-${process.version}-${process.arch}.bin`)
    : undefined;
  const script = asAtStart(() => new Script(source, { filename: file, cachedData: cache && ownFile(cache) }));
  if (cache && script.cachedDataRejected !== false)
    keepCache(() => asAtStart(() => script.createCachedData()), folder, cache, keepCode());
  return script.runInThisContext();
}

/** The `require` of a bundle. */
function requireOf(file, caching) {
  const require = createRequire(file);
  const requireOne = (name) => (name === TYPESCRIPT.name ? { ts: typescript(require, caching) } : require(name));
  return Object.assign(requireOne, require);
}

/** TypeScript, which ts-morph then finds among the modules that are loaded. */
function typescript(require, caching) {
  const file = require.resolve(TYPESCRIPT.file);
  const known = require.cache[file];
  if (known) return known.exports;
  const module = new Module(file);
  const bytes = readFileSync(file);
  const run = compiled(Module.wrap(textOf(bytes)), file, digestOf(bytes, 20), caching);
  run.call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  module.loaded = true;
  require.cache[file] = module;
  return module.exports;
}

const digestOf = (content, digits) => createHash("sha1").update(content).digest("hex").slice(0, digits);

/** The folder of the caches of this user; undefined for a user without a home. */
function userCache() {
  try {
    return join(env["XDG_CACHE_HOME"] || env["LOCALAPPDATA"] || join(homedir(), ".cache"), "toolwright");
  } catch {
    return undefined;
  }
}

/** The content of a file that belongs to this user: code of others is not run. */
function ownFile(path) {
  try {
    const { uid } = statSync(path);
    return process.getuid === undefined || uid === process.getuid() ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the cache once: after a while, or when the process ends before. A call that the command line refuses teaches nothing. */
function keepCache(codeOf, folder, path, release) {
  let isWritten = false;
  const write = () => {
    if (isWritten || process.exitCode === 2) return;
    isWritten = true;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const beside = `${path}.${process.pid}`;
      writeFileSync(beside, codeOf(), { mode: 0o600 });
      renameSync(beside, path);
      removeOld(folder);
    } catch {
      // Without a cache, a start takes longer, and nothing else changes.
    }
    release();
  };
  setTimeout(write, WRITE_AFTER_MS).unref();
  process.once("exit", write);
}

function removeOld(folder) {
  const paths = readdirSync(folder)
    .filter((name) => name.includes(".bin"))
    .map((name) => join(folder, name));
  const written = paths.map((path) => ({ path, at: statSync(path).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const [index, { path, at }] of written.entries())
    if (index >= MAX_FILES || Date.now() - at > MAX_AGE_MS) rmSync(path, { force: true });
}
