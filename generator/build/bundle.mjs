// Bundles the program with esbuild: for the package (`npm run build`), and for a checkout (the launcher). Packages in `dependencies`
// stay outside; all others are part of the bundle, so that an installation is small and a start reads few files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeConsole } from "./console-files.mjs";
import { licencesOf } from "./licences.mjs";

/** The command line, the programmatic API, and the programs of child processes, which lie beside them. */
const PROGRAMS = {
  main: "generator/entry/main.ts",
  index: "generator/entry/index.ts",
  "monty-child": "runtime/run/engine/monty-child.ts",
  "reading-worker": "runtime/run/engine/reading-worker.ts",
  "snippet-worker": "runtime/run/engine/snippet-worker.ts",
};
/** Programs that import no module of the package: the engines start them under rules of their own. */
const SOLE_PROGRAMS = {
  "cpython-child": "runtime/run/engine/cpython/child.mts",
  "extension-child": "runtime/extensions/child.mts",
};
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
/** Packages that others load if they are installed, and work without. */
const OPTIONAL = ["canvas", "pg-native"];
/** Installed for the types of handlers and for the search of documentation sites, and bundled, because every server loads them. */
const BUNDLED_TOO = ["kysely", "minisearch"];

const optionsOf = (root) => ({
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // UMD modules hide what they require from a bundler; their ES modules do not.
  mainFields: ["module", "main"],
  conditions: ["toolwright-source"],
  external: [...dependenciesOf(root).filter((name) => !BUNDLED_TOO.includes(name)), ...OPTIONAL],
  logLevel: "warning",
});
/** The packages that are installed with this one. */
export const dependenciesOf = (root) =>
  Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies);

/**
 * Replaces what the program never uses of a package: the formatter of the type printer, which prints without it, the HTML parser
 * of turndown, which is given trees, the web client of the converter of Swagger 2.0, and its older `yaml`.
 */
const slim = (root) => ({
  "node-fetch-h2": join(root, "generator/build/no-fetch.mjs"),
  yaml: join(root, "node_modules/yaml"),
  prettier: join(root, "generator/build/no-formatter.mjs"),
  turndown: join(root, "node_modules/turndown/lib/turndown.browser.es.js"),
});

/** Writes the program and the console's pages to a folder. Returns the licences of the bundled packages. */
export async function bundleProgram(root, folder, { sourcemap = false } = {}) {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    ...optionsOf(root),
    alias: slim(root),
    banner: { js: REQUIRE },
    entryPoints: PROGRAMS,
    outdir: folder,
    splitting: true,
    sourcemap: sourcemap && "linked",
    legalComments: "none",
    metafile: true,
  });
  await build({
    ...optionsOf(root),
    bundle: false,
    external: undefined,
    entryPoints: SOLE_PROGRAMS,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  });
  await writeConsole(root, join(folder, "console"));
  return licencesOf(root, metafile);
}

/** Bundles one entry point as one file: `toolwright/codegen`, which loads nothing when it is imported, or a part of the build. */
export async function bundleFile(root, entry, file) {
  const { build } = await import("esbuild");
  await build({ ...optionsOf(root), alias: slim(root), entryPoints: [entry], outfile: file });
}
