// The declarations of the package: those that its entry points lead to, without the types of bundled libraries, which an installation
// does not have. No public type is made of them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A relative import of another declaration file, as a statement or inside a type. */
const RELATIVE = /(?:from |import\()"(\.[^"]+)\.js"/g;

/** A documentation comment, whose examples import nothing. */
const COMMENT = /\/\*\*[\s\S]*?\*\//g;

const STATEMENT = /^(import|export) (?:type )?(\{[^}]*\}|\* as \w+|\w+) from "([^"./][^"]*)";$/gm;
/** Stands for a type, with or without type arguments. */
const anyType = (name) => `type ${name}<_A = any, _B = any, _C = any> = any;`;

/** Removes the declarations below a folder that `entries`, files in it, do not lead to. */
export function onlyReachable(folder, entries) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, "utf8").replace(COMMENT, "");
    for (const [, path] of text.matchAll(RELATIVE)) visit(`${join(dirname(file), path)}.d.ts`);
  };
  for (const entry of entries) visit(join(folder, entry));
  for (const file of declarationsIn(folder)) if (!reached.has(file)) rmSync(file);
}

const declarationsIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.d\.m?ts$/.test(name))
    .map((name) => join(folder, name));

/** Rewrites the declarations below a folder: a name from a package that `isInstalled` does not accept stands for any type. */
export function withoutLibraries(folder, isInstalled) {
  for (const file of declarationsIn(folder)) {
    const text = readFileSync(file, "utf8");
    const plain = text.replace(STATEMENT, (statement, kind, names, specifier) =>
      isInstalled(specifier) ? statement : standIns(kind, names),
    );
    if (plain !== text) writeFileSync(file, plain);
  }
}

function standIns(kind, names) {
  const listed = names.startsWith("{") ? names.slice(1, -1).split(",") : [names.replace("* as ", "")];
  const locals = listed
    .map((one) =>
      one
        .trim()
        .replace(/^type /, "")
        .replace(/^\w+ as /, ""),
    )
    .filter(Boolean);
  const types = locals.map(anyType);
  return types.map((one) => (kind === "export" ? `export ${one}` : one)).join("\n");
}
