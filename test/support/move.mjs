/**
 * Moves TypeScript files within the checkout, and rewrites the relative imports of and to them:
 * `node test/support/move.mjs < moves.txt`, with a line `FROM TO` for each file or folder.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
const tracked = git("ls-files").split("\n");
const isCode = (file) => /\.(?:[cm]?ts|tsx|mjs)$/.test(file);

/** New paths by old path. */
const moves = new Map();
for (const line of readFileSync(0, "utf8").split("\n")) {
  const [from, to] = line.trim().split(/\s+/);
  if (!to) continue;
  const files = tracked.filter((file) => file === from || file.startsWith(`${from}/`));
  if (files.length === 0) throw new Error(`there is no ${from}: name a file or a folder that git knows`);
  for (const file of files) moves.set(file, `${to}${file.slice(from.length)}`);
}
const movedTo = (file) => moves.get(file) ?? file;

/** Relative paths in code: of imports, of `import()`, of types, of mocks, and of `new URL`. */
const SPECIFIER = /((?:\bfrom\s*|\bimport\s*\(?\s*|\bmock\(\s*|\bnew URL\(\s*))(["'])(\.{1,2}\/[^"'\n]*)\2/g;

/** The file that a path means: a `.js` of an import is a `.ts`. */
const sourceOf = (path) =>
  [path, path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")].find((one) => tracked.includes(one));

/** The text of a file with its paths as they are after the move. */
function rewritten(file, text) {
  const folder = dirname(movedTo(file));
  return text.replace(SPECIFIER, (whole, before, quote, path) => {
    const target = sourceOf(join(dirname(file), path));
    if (target === undefined || (movedTo(target) === target && folder === dirname(file))) return whole;
    const to = relative(folder, movedTo(target)).replace(/\.ts$/, path.endsWith(".js") ? ".js" : ".ts");
    return `${before}${quote}${to.startsWith(".") ? to : `./${to}`}${quote}`;
  });
}

let count = 0;
const texts = tracked.filter(isCode).flatMap((file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const next = rewritten(file, text);
  if (next === text) return [];
  count++;
  return [[movedTo(file), next]];
});
for (const [from, to] of moves) {
  mkdirSync(join(ROOT, dirname(to)), { recursive: true });
  git("mv", from, to);
}
for (const [file, text] of texts) writeFileSync(join(ROOT, file), text);
process.stdout.write(`${moves.size} files moved, imports rewritten in ${count} files\n`);
