// Bundles the program with esbuild: for the package (`npm run build`), and for a checkout (the launcher). Packages in `dependencies`
// stay outside; all others are part of the bundle, so that an installation is small and a start reads few files.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { writeConsole } from "./console-files.mjs";
import { licencesOf } from "./licences.mjs";
import { inParts } from "./parts.mjs";

/** Files in the folders of features whose names match, by name without ending. */
const inFeatures = (root, pattern) =>
  Object.fromEntries(
    readdirSync(join(root, "features"), { recursive: true })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => pattern.test(file))
      .map((file) => [basename(file).replace(/\.m?ts$/, ""), `features/${file}`]),
  );
/** The programmatic API, and the programs of child processes and workers, which lie beside it. Those of features are their `*-child.ts` and `*-worker.ts`. */
const programsOf = (root) => ({
  index: "generator/entry/index.ts",
  "module-child": "generator/module/module-child.ts",
  "reading-worker": "runtime/run/languages/python/engine/reading-worker.ts",
  "snippet-worker": "runtime/run/engine/snippet-worker.ts",
  "sql-child": "runtime/run/sql/sql-child.ts",
  "type-checker-child": "runtime/run/languages/python/engine/type-checker-child.ts",
  ...inFeatures(root, /^[\w-]+\/[\w-]+-(?:child|worker)\.ts$/),
});
/** Programs that are one file each: the engines start them under rules of their own. Those of features are their `*-child.mts`. */
const soleProgramsOf = (root) => ({
  "cpython-child": "runtime/run/languages/python/engine/cpython/child.mts",
  ...inFeatures(root, /^[\w-]+\/(?:engine\/)?[\w-]+-child\.mts$/),
});
/** The command line, which is loaded with a code cache. */
const COMMAND = { program: "generator/entry/main.ts" };
/** The modules that a server imports until it has answered `ot.version`, after the command line itself. Their chunks are in `program.cjs`. */
const EARLY = [
  COMMAND.program,
  "definitions/packs/ot.ts",
  "generator/cli/declared-faults.ts",
  "generator/cli/files.ts",
  "generator/cli/kept-yaml.ts",
  "generator/cli/last-run.ts",
  "generator/cli/sources-behind.ts",
  "generator/config/config.ts",
  "generator/core/diagnostic.ts",
  "runtime/cli/main.ts",
  "runtime/config/log.ts",
  "runtime/contract/bounded-validation.ts",
  "runtime/contract/equal-values.ts",
  "runtime/contract/pattern/bounded-pattern.ts",
  "runtime/contract/resource-pool.ts",
  "runtime/contract/validation.ts",
  "runtime/gateway/gateway.ts",
  "runtime/gateway/reloadable-gateway.ts",
  "runtime/serve/serve.ts",
  "runtime/serve/stdio/stdio.ts",
  "runtime/state/migrate.ts",
  "runtime/state/migrations.ts",
  "runtime/state/open.ts",
  "runtime/state/sqlite.ts",
  "runtime/upstream/lock.ts",
  "runtime/upstream/snapshot-jobs.ts",
  "runtime/upstream/upstreams.ts",
  "node_modules/pino/pino.js",
];
/** What features do in a server, the ops that they add or check, their answers, and how they sign people in, which it imports early, and their commands, which every other start declares. */
const EARLY_OF_FEATURES = ["commands", "serve", "ops", "check-ops", "mcp-answers", "sign-in-part"];
/** The languages that features add. */
const FOR_RUN_OF_FEATURES = ["language"];
/** The files of features with these names. */
const featuresOf = (root, names) =>
  readdirSync(join(root, "features"))
    .flatMap((feature) => names.map((name) => `features/${feature}/${name}.ts`))
    .filter((file) => existsSync(join(root, file)));
/** The modules that a server imports for programs and for `ot.help`, once its tools were listed. Their chunks are in `run.cjs`, unless they are early. */
const FOR_RUN = [
  "runtime/packs/ot/help.ts",
  "runtime/run/languages/python/engine/cpython.ts",
  "runtime/run/languages/python/language.ts",
  "runtime/run/languages/python/program.ts",
  "runtime/run/languages/python/reading.ts",
  "runtime/run/languages/python/version.ts",
  "runtime/run/runner.ts",
];
/** 3.4 MB, which the command line and the programmatic API share. Other packages apart have no named exports that an ES module sees. */
const TOKENIZER = "gpt-tokenizer/encoding/o200k_base";
/** In files of their own beside the command line: large packages that few commands need, and what imports modules. */
const APART = {
  [TOKENIZER]: "o200k-base",
  undici: "undici",
  "./import-url.js": "import-url",
};
/**
 * esbuild's program for Node, copied beside the bundles as it is, since it finds its binary by the name of its own file. The packages
 * of the binaries are optional dependencies. The package `esbuild` itself has an install script, about which npm warns, and which only
 * repairs installations without optional dependencies.
 */
const ESBUILD = "./esbuild/lib/main.js";
const ESBUILD_PACKAGE = "node_modules/esbuild";
/** The files of `APART` that are no packages, from the root of the checkout. */
const OWN_APART = { "./import-url.js": "./runtime/call/import-url.ts" };
/** The start of the command line in CommonJS, which has no `import.meta`. */
const META =
  'const { pathToFileURL: toUrl } = require("node:url"), ownUrl = toUrl(__filename).href, resolveUrl = (name) => toUrl(require.resolve(name)).href;';
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
/** What the `toolwright` command is loaded with, as it is in `generator/entry`. */
const LOADER = ["load-program.mjs", "node-version.mjs", "v8-flags.mjs"];
/** The `toolwright` command. It imports the program once the version of Node.js is known to be able to: all static imports are linked first. */
export const mainText = (root) => `#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { requireNode } from "./node-version.mjs";

const program = fileURLToPath(new URL("program.cjs", import.meta.url));
requireNode(${JSON.stringify(manifestOf(root).engines.node)}, program);
const { loadProgram } = await import("./load-program.mjs");
await loadProgram(program).runCommand();
`;
/** Packages that others load if they are installed, and work without. */
const OPTIONAL = ["@pydantic/monty", "canvas", "pg-native"];
/** Installed for the types of handlers, and bundled, because every server loads it. */
const BUNDLED_TOO = ["kysely"];

const optionsOf = (root) => ({
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // UMD modules hide what they require from a bundler; their ES modules do not.
  mainFields: ["module", "main"],
  conditions: ["toolwright-source"],
  external: [...dependenciesOf(root).filter((name) => !BUNDLED_TOO.includes(name)), "esbuild", ...OPTIONAL],
  logLevel: "warning",
});
/** The packages that are installed with this one. */
export const dependenciesOf = (root) => Object.keys(manifestOf(root).dependencies);

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/**
 * Replaces what the program never uses of a package: the formatter of the type printer, which prints without it, the HTML parser of
 * turndown, which is given trees, the web client of the converter of Swagger 2.0, and its older `yaml`. The ES module of ono assigns to
 * `module.exports`, which is the bundle's own in CommonJS.
 */
const slim = (root) => ({
  "@jsdevtools/ono": join(root, "node_modules/@jsdevtools/ono/cjs/index.js"),
  "node-fetch-h2": join(root, "generator/build/no-fetch.mjs"),
  yaml: join(root, "node_modules/yaml"),
  prettier: join(root, "generator/build/no-formatter.mjs"),
  turndown: join(root, "node_modules/turndown/lib/turndown.browser.es.js"),
});

/** Leaves modules that lie in files of their own out of a bundle. */
const apart = (modules) => ({
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind === "entry-point") return undefined;
      if (path === "esbuild") return { path: ESBUILD, external: true };
      return modules.includes(path) ? { path: `./${APART[path]}.cjs`, external: true } : undefined;
    });
  },
});

/** Copies esbuild's program to a folder, where it is a CommonJS module among ES modules. */
function copyEsbuild(root, folder) {
  const { optionalDependencies: binaries } = manifestOf(join(root, ESBUILD_PACKAGE));
  const { optionalDependencies: all } = manifestOf(root);
  const named = Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith("@esbuild/")));
  if (JSON.stringify(named) !== JSON.stringify(binaries))
    throw new Error(
      "package.json: optionalDependencies are not those of the installed esbuild: copy them from its package.json",
    );
  mkdirSync(dirname(join(folder, ESBUILD)), { recursive: true });
  copyFileSync(join(root, ESBUILD_PACKAGE, "lib/main.js"), join(folder, ESBUILD));
  writeFileSync(join(folder, "esbuild/package.json"), '{ "type": "commonjs" }\n');
}

/** A bundle in CommonJS, as `loadProgram` runs it. */
const loadedOptionsOf = (root) => ({
  ...optionsOf(root),
  alias: slim(root),
  format: "cjs",
  define: { "import.meta.url": "ownUrl", "import.meta.resolve": "resolveUrl" },
  banner: { js: META },
});

/** Writes the command line and the packages beside it, as CommonJS. Returns what it is made of. */
async function bundleCommand(root, folder) {
  const { build } = await import("esbuild");
  const common = {
    ...loadedOptionsOf(root),
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    legalComments: "none",
    metafile: true,
  };
  const entries = Object.fromEntries(Object.entries(APART).map(([name, file]) => [file, OWN_APART[name] ?? name]));
  const [command, packages] = await Promise.all([
    // Converted to CommonJS in three files, whose names stay, for stack traces.
    build({
      ...common,
      entryPoints: COMMAND,
      plugins: [apart(Object.keys(APART))],
      format: "esm",
      splitting: true,
      banner: {},
      outExtension: { ".js": ".mjs" },
      write: false,
    }),
    build({ ...common, entryPoints: entries }),
  ]);
  const files = {
    "program.cjs": [...EARLY, ...featuresOf(root, EARLY_OF_FEATURES)],
    "run.cjs": [...FOR_RUN, ...featuresOf(root, FOR_RUN_OF_FEATURES)],
    "rest.cjs": [],
  };
  for (const [name, text] of await inParts(command, files, META)) finish(join(folder, name), text);
  for (const name of LOADER) copyFileSync(join(root, "generator/entry", name), join(folder, name));
  writeFileSync(join(folder, "main.js"), mainText(root), { mode: 0o755 });
  return [command.metafile, packages.metafile];
}

/**
 * Writes a program with its digest in the first line, by which its code cache is found, as the function that Node.js makes of a CommonJS
 * module, and makes it ASCII: both save the start a copy of the text. esbuild leaves other characters in regular expressions and tagged templates only; the escape is the same in the former.
 */
function finish(file, bundled) {
  const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const tagged = /String\.raw`[^`]*[^\0-\x7f]/.exec(bundled)?.[0];
  if (tagged !== undefined) throw new Error(`${file}: only ASCII is allowed in ${tagged.slice(0, 80)}`);
  const text = bundled.replace(/[^\0-\x7f]/g, escaped);
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 20);
  writeFileSync(file, `// ${digest}\n(function (exports, require, module, __filename, __dirname) {\n${text}\n});\n`);
}

/** Writes the programs and the console's pages to a folder. Returns the licences of the bundled packages. */
export async function bundleProgram(root, folder) {
  const metafiles = await bundleCommand(root, folder);
  const { build } = await import("esbuild");
  const { metafile } = await build({
    ...optionsOf(root),
    alias: slim(root),
    banner: { js: REQUIRE },
    entryPoints: programsOf(root),
    plugins: [apart([TOKENIZER])],
    outdir: folder,
    splitting: true,
    legalComments: "none",
    metafile: true,
  });
  await build({
    ...optionsOf(root),
    entryPoints: soleProgramsOf(root),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  });
  copyEsbuild(root, folder);
  const console = await writeConsole(root, join(folder, "console"));
  const copied = { inputs: { [`${ESBUILD_PACKAGE}/lib/main.js`]: {} } };
  return licencesOf(root, [...metafiles, metafile, console, copied]);
}

/** Bundles one module as a program in one file, which `loadProgram` runs. */
export async function bundleLoaded(root, entry, file) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({ ...loadedOptionsOf(root), entryPoints: [entry], outfile: file, write: false });
  mkdirSync(dirname(file), { recursive: true });
  finish(file, outputFiles[0].text);
}

/** The modules of `runtime/` that code of projects imports, as `toolwright/codegen` and `toolwright/feature`. */
export const MODULES = ["codegen", "feature"];

/** Bundles one entry point as one file, such as one of `MODULES`, which load nothing when they are imported. */
export async function bundleFile(root, entry, file, plugins = []) {
  const { build } = await import("esbuild");
  await build({ ...optionsOf(root), alias: slim(root), entryPoints: [entry], outfile: file, plugins });
}

/** Leaves out what `import()` loads: the build of the package asks features for their data only. */
const withoutLater = {
  name: "without-later",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind }) => (kind === "dynamic-import" ? { path, external: true } : undefined));
  },
};

/** Bundles what the build of the package takes from the program. */
export const bundleParts = (root, file) => bundleFile(root, "generator/entry/package-parts.ts", file, [withoutLater]);
