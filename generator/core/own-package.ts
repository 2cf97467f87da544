/** Finds the `package.json` of this program. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Name of the package and of its command. */
export const PACKAGE = "toolwright";

interface Package {
  readonly folder: string;
  readonly version: string;
}

/** The package of this file, which may be a source, a bundle or a built module. */
export function ownPackage(): Package {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (name === PACKAGE) return { folder, version };
    } catch {
      if (folder === dirname(folder)) throw new Error("the package's own package.json is missing");
    }
  }
}
