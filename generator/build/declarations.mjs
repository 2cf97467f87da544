// Declarations without the types of bundled libraries, which an installation does not have. No public type is made of them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const STATEMENT = /^(import|export) (?:type )?(\{[^}]*\}|\* as \w+|\w+) from "([^"./][^"]*)";$/gm;
/** Stands for a type, with or without type arguments. */
const anyType = (name) => `type ${name}<_A = any, _B = any, _C = any> = any;`;

/** Rewrites the declarations below a folder: a name from a package that `isInstalled` does not accept stands for any type. */
export function withoutLibraries(folder, isInstalled) {
  for (const name of readdirSync(folder, { recursive: true }).filter((one) => one.endsWith(".d.ts"))) {
    const file = join(folder, name);
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
