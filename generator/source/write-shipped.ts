/** Writes `shipped.json`, the packs that come with the package, from `definitions/packs/`. A step of the package's build. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packOfFile } from "../config/config.js";
import { formatDiagnostic, Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import { readFunctions } from "./functions.js";

/** Folder of the shipped packs. */
const FOLDER = "definitions/packs";

/**
 * The text of `shipped.json` for a package folder.
 *
 * @throws Error with all faults of the packs
 */
export function shippedText(folder: string): string {
  const report = new Report();
  const read = (file: string): string | undefined => {
    try {
      return readFileSync(join(folder, file), "utf8");
    } catch {
      return undefined;
    }
  };
  const names = readdirSync(join(folder, FOLDER)).filter((name) => name.endsWith(".ts"));
  const sources = names.sort().map((name) => {
    const file = `${FOLDER}/${name}`;
    const place = { file, line: 1, column: 1 };
    return { file, text: read(file) ?? "", entry: { functions: file }, pack: packOfFile(file), place, read };
  });
  const definitions = readFunctions(sources, report);
  const faults = report.sorted().map(formatDiagnostic);
  if (faults.length > 0) throw new Error(`shipped packs cannot be read:\n${faults.join("\n")}`);
  return `${JSON.stringify(byPack(definitions), null, 1)}\n`;
}

/** Definitions by pack, with relative file names. */
function byPack(definitions: readonly Definition[]): Readonly<Record<string, readonly Definition[]>> {
  const packs: Record<string, Definition[]> = {};
  for (const one of definitions) {
    const place = { ...one.place, file: `toolwright/${one.place.file}` };
    packs[one.pack] = [...(packs[one.pack] ?? []), { ...one, place, shipped: true }];
  }
  return packs;
}

/** Writes the file beside the `package.json` of a package folder. */
export function writeShipped(folder: string): void {
  writeFileSync(join(folder, "shipped.json"), shippedText(folder));
}
