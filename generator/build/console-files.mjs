// Builds the pages of the console: one script, one style sheet, and files that are copied. Used by `npm run build` and by the
// launcher for checkouts.
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join("runtime", "serve", "console", "app");

/** What features add to the page: what a file of theirs exports under a name. */
function addedBy(root, path, name) {
  const files = readdirSync(join(root, "features"))
    .sort()
    .map((feature) => `./features/${feature}/console/${path}`)
    .filter((file) => existsSync(join(root, file)));
  return {
    imports: files.map((file, at) => `import { ${name} as ${name}${at} } from ${JSON.stringify(file)};`),
    list: `[${files.map((_, at) => `${name}${at}`).join(", ")}]`,
  };
}

/** The module that the page begins with: it shows the console with the screens of features, and the languages that they add. */
function entryOf(root) {
  const parts = [addedBy(root, "screen.tsx", "SCREEN"), addedBy(root, "language.ts", "LANGUAGE")];
  const main = JSON.stringify(`./${FOLDER.replaceAll("\\", "/")}/main.tsx`);
  return [
    ...parts.flatMap(({ imports }) => imports),
    `import { showConsole } from ${main};`,
    `showConsole(${parts.map(({ list }) => list).join(", ")});`,
  ].join("\n");
}

/** Gives esbuild the module that the page begins with. */
const pageEntry = (root) => ({
  name: "page-entry",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^console-page$/ }, ({ path }) => ({ path, namespace: "page" }));
    onLoad({ filter: /./, namespace: "page" }, () => ({ contents: entryOf(root), resolveDir: root }));
  },
});

/** Writes the console pages of the checkout at `root` to a folder. Returns what they are made of. */
export async function writeConsole(root, folder) {
  const { build } = await import("esbuild");
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { app: "console-page", style: join(FOLDER, "style.css") },
    plugins: [pageEntry(root)],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  });
  for (const name of ["index.html", "icon.svg"]) cpSync(join(root, FOLDER, name), join(folder, name));
  return metafile;
}
