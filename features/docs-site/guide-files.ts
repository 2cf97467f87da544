/** Reads the guides of a project: the Markdown files of a folder. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { GuideFolder } from "./site-model.js";

/** Most guides of a project. */
const MAX_GUIDES = 1_000;
/** Most files and folders in the folder of the guides. */
const MAX_FILES = 20_000;
/** Longest guide that is read, in bytes. */
const MAX_GUIDE_BYTES = 1_000_000;

/**
 * Reads the guides of a project; hidden files and links to files are left out.
 *
 * @param folder path from the root
 * @param named whether the configuration names the folder: it must exist then
 * @throws UsageError for a folder that is missing or out of the project, and for too many or too large guides
 */
export function readGuides(root: string, folder: string, named: boolean): GuideFolder {
  const place = resolve(root, folder);
  const inside = relative(root, place).split(sep);
  if (isAbsolute(folder) || inside[0] === ".." || inside[0] === "")
    throw new UsageError(`docs.guides ${folder}: give a folder below the project root, like docs`);
  const name = inside.join("/");
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
    if (named) throw new UsageError(`docs.guides ${folder}: there is no such folder in the project`);
    return { name, guides: [], files: new Set() };
  }
  const files = filesBelow(place, name);
  const guides = files.filter((one) => /\.md$/i.test(one));
  if (guides.length > MAX_GUIDES)
    throw new UsageError(
      `${name} holds ${guides.length} guides; at most ${MAX_GUIDES} are built: name a smaller folder under docs.guides`,
    );
  return { name, guides: guides.map((file) => ({ file, text: guideText(place, name, file) })), files: new Set(files) };
}

/** Files below a folder, relative to it, sorted. */
function filesBelow(place: string, name: string): readonly string[] {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true });
  if (entries.length > MAX_FILES)
    throw new UsageError(`${name} holds more than ${MAX_FILES} files: name a smaller folder under docs.guides`);
  return entries
    .filter((one) => one.isFile())
    .map((one) => relative(place, join(one.parentPath, one.name)).split(sep).join("/"))
    .filter((one) => !one.split("/").some((part) => part.startsWith(".") || part === "node_modules"))
    .sort(byCodeUnit);
}

function guideText(place: string, name: string, file: string): string {
  const path = join(place, file);
  const { size } = statSync(path);
  if (size > MAX_GUIDE_BYTES)
    throw new UsageError(`${name}/${file} has ${size} bytes; a guide has at most ${MAX_GUIDE_BYTES}: split it`);
  return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
}
