/** The package that this program is part of. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Its name, and that of the command. */
export const PACKAGE = "toolwright";

interface Package {
  readonly folder: string;
  readonly version: string;
}

/** The package that this file is part of, as source, as bundle or as built. */
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
