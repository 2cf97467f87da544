// Builds the pages of the console: one script, one style sheet, and files that are copied. Used by `npm run build` and by the
// launcher for checkouts.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join("runtime", "serve", "console", "app");

/** Writes the console pages of the checkout at `root` to a folder. Returns what they are made of. */
export async function writeConsole(root, folder) {
  const { build } = await import("esbuild");
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { app: join(FOLDER, "main.tsx"), style: join(FOLDER, "style.css") },
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
