/** Decides the address of each page of the documentation site, and makes links between pages. */

import { posix } from "node:path";
import { digestText } from "../../runtime/contract/canonical.js";
import { docsFolder, type HelpIndex, VERSION_DIGITS } from "../../runtime/contract/help.js";
import type { Registry } from "../../runtime/contract/registry.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** Folders of pages by subject. The folder of the home page is empty. */
export interface Addresses {
  readonly pack: (name: string) => string;
  /** An op, an op alias or a tombstone. */
  readonly op: (op: string) => string;
  readonly alias: (name: string) => string;
  readonly snippet: (name: string) => string;
}

/** The address of each page; packs have the addresses that `ot.help` names. @throws UsageError for a slug that is no address */
export function addressesOf(registry: Registry, slugs: ReadonlyMap<string, string>): Addresses {
  for (const { name } of registry.packs) checkSlug(name, slugs.get(name));
  const pack = (name: string): string => segmentsOf(docsFolder(name, slugs)).join("/");
  return {
    pack,
    op: (op) => `${pack(op.split(".")[0] ?? op)}/${fileName(op)}`,
    alias: (name) => `aliases/${fileName(name)}`,
    snippet: (name) => `snippets/${fileName(name)}`,
  };
}

/** Longest file name that every file system accepts, without the extension. */
const MAX_FILE_NAME_LENGTH = 200;
const SEGMENT = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;
const isSegment = (text: string): boolean => SEGMENT.test(text) && text.length <= MAX_FILE_NAME_LENGTH;

function checkSlug(pack: string, slug: string | undefined): void {
  if (slug !== undefined && !slug.split("/").every(isSegment))
    throw new UsageError(
      `docs.slugs.${pack} ${JSON.stringify(slug)} is no address: give letters, digits, ".", "_", "~" and "-", with "/" between`,
    );
}

const segmentsOf = (folder: string): readonly string[] => folder.split("/").map(fileName);

/** A name as a file name that every file system accepts; a name that would be too long ends in its digest. */
export function fileName(name: string): string {
  if (isSegment(name)) return name;
  const safe = encodeURIComponent(name.replace(/\p{Cs}/gu, "_")).replace(/[%.!'()*]/g, "_");
  return safe.length <= MAX_FILE_NAME_LENGTH
    ? safe
    : `${safe.slice(0, MAX_FILE_NAME_LENGTH / 2)}~${digestText(name).slice(0, VERSION_DIGITS)}`;
}

/** The file of a folder's page. */
export const pageFile = (folder: string): string => posix.join(folder, "index.html");

/** The file of a folder's page in Markdown, beside the folder. */
export const twinFile = (folder: string): string => (folder === "" ? "index.md" : `${folder}.md`);

/** The folders above a file: `a/b` and `a` of `a/b/c`. */
export const parentsOf = (path: string): readonly string[] => {
  const parent = posix.dirname(path);
  return parent === "." ? [] : [parent, ...parentsOf(parent)];
};

/** The link from a page to a file of the site: relative, with the file name, so that it also works from a disk. */
export function linkTo(from: string, file: string): string {
  const [up, down] = [from === "" ? [] : from.split("/"), file.split("/")];
  let same = 0;
  while (same < up.length && up[same] === down[same]) same += 1;
  return `${"../".repeat(up.length - same)}${down.slice(same).join("/")}`;
}

/** All names of ops in text, with their op: path, op aliases, tool name, configured aliases. */
export function opsByAnyName(registry: Registry, index: HelpIndex): ReadonlyMap<string, string> {
  const tools = registry.tools.map((one) => [one.tool_name, one.op] as const);
  const aliases = registry.tools.flatMap((one) => one.aliases.map((alias) => [alias, one.op] as const));
  const ops = registry.tools.map((one) => [one.op, one.op] as const);
  const known = new Map([...tools, ...aliases, ...ops]);
  // An alias may name another alias; each round resolves one step more.
  const open = new Map(index.aliases.filter(({ name }) => !known.has(name)).map((one) => [one.name, one.target]));
  for (let before = -1; before !== open.size; ) {
    before = open.size;
    for (const [name, target] of open) {
      const op = known.get(target);
      if (op === undefined) continue;
      known.set(name, op);
      open.delete(name);
    }
  }
  return known;
}
