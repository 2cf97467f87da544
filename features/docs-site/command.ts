/** The command `docs build`: reads `generated/`, makes the documentation site, and writes it. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Changes, ComparedProject } from "../../generator/cli/changes.js";
import type { Config } from "../../generator/config/config.js";
import { readHead } from "../../generator/core/registry-file.js";
import { listedTools } from "../../generator/pass/expose.js";
import {
  type HelpIndex,
  type HelpIndexFile,
  type ListedHelp,
  shortVersion,
  wholeHelp,
} from "../../runtime/contract/help.js";
import { isRecord } from "../../runtime/contract/json.js";
import { counted } from "../../runtime/contract/message-text.js";
import type { Registry } from "../../runtime/contract/registry.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { opsByAnyName } from "./addresses.js";
import { readGuides } from "./guide-files.js";
import { docsOf } from "./settings.js";
import { siteFiles } from "./site.js";
import type { BaselineChanges, SiteInput } from "./site-model.js";
import { TEMPLATES, type TemplateName } from "./templates.js";
import { writeSite } from "./write.js";

/** Flags of the command, as the command line checked them. */
export interface DocsFlags {
  readonly out?: string;
  readonly base?: string;
  readonly against?: string;
  readonly today?: string;
  readonly json?: boolean;
}

/** Dependencies of the command. */
export interface DocsSetting extends ComparedProject {
  /** Definition files that changed since the last `generate`. */
  readonly stale: () => readonly string[];
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly paint: (style: "yellow" | "bold", text: string) => string;
  /** Loads what compares two builds, if anything does. */
  readonly changes: () => Promise<Changes | undefined>;
  /** The folder of the package, which holds layouts, style and scripts. */
  readonly packageFolder: string;
  readonly progress: (stage: string | undefined) => void;
}

/** Default folder of the site, below the root. */
const SITE = "site";

/** Exit code 0. @throws UsageError */
export async function buildDocs(setting: DocsSetting, flags: DocsFlags): Promise<number> {
  const { root, out, err, paint, stale, progress } = setting;
  const folder = flags.out === undefined ? join(root, SITE) : resolve(flags.out);
  const input = inputOf(setting, flags);
  refuseOwn(root, folder, input.guides.name, flags.out);
  const changes = await changesSince(setting, flags);
  const files = siteFiles({ ...input, ...(changes ? { changes } : {}) });
  const changed = stale();
  if (changed.length > 0)
    err(
      `${paint("yellow", "note")} generated/ is older than ${changed.join(", ")}: run "toolwright generate"; the site shows what generated/ says\n`,
    );
  const shown = flags.out ?? (relative(process.cwd(), folder) || ".");
  const done = writeSite(folder, shown, files, progress);
  const { registry } = input;
  const pages = files.filter((one) => one.path.endsWith("index.html")).length;
  if (flags.json) {
    const counts = { pages, ops: registry.tools.length, packs: registry.packs.length, ...done };
    const found = changes ? { changes: changes.findings.length } : {};
    out(
      `${JSON.stringify({ ok: true, out: shown, registry_version: registry.registry_version, ...counts, ...found })}\n`,
    );
  } else {
    out(
      `${paint("bold", counted(pages, "page"))} for ${counted(registry.tools.length, "op")} in ${counted(registry.packs.length, "pack")}: ${counted(done.written, "file")} written, ${done.unchanged} unchanged, ${done.deleted} deleted\n`,
    );
    out(`open ${join(shown, "index.html")}, or put ${shown} on any static host\n`);
  }
  return 0;
}

/** Folders of a project that have another purpose. */
const OWN = ["definitions", "generated", ".onetool", ".git"];

/** @throws UsageError if the site would be in a folder that has another purpose */
function refuseOwn(root: string, folder: string, guides: string, out = SITE): void {
  const [first = ""] = relative(root, folder).split(sep);
  if (!relative(join(root, guides), folder).startsWith(".."))
    throw new UsageError(`--out ${out} is in ${guides}, which holds the guides: name another folder`);
  if (OWN.includes(first))
    throw new UsageError(`--out ${out} is in ${first}/, which is no place for a site: name another folder`);
}

function inputOf(setting: DocsSetting, flags: DocsFlags): SiteInput {
  const { root, config, read } = setting;
  const docs = docsOf(config);
  const { registry } = readHead(root);
  const index = indexOf(read("generated/help/index.json"), registry);
  return {
    ...withoutHidden({ registry, index }, config),
    page: (op) => helpPage(root, op),
    base: checkedBase(flags.base) ?? docs.base,
    slugs: new Map(Object.entries(docs.slugs)),
    languages: config.run?.languages?.length ? config.run.languages : ["python"],
    title: docs.title,
    guides: readGuides(root, docs.guides, docs.namesGuides),
    ...shippedFiles(setting.packageFolder),
  };
}

const AGAIN = 'run "toolwright generate"';

function indexOf(text: string | undefined, { registry_version: version, tools }: Registry): HelpIndex {
  if (text === undefined) throw new UsageError(`there is no generated/help/index.json: ${AGAIN}`);
  let index: unknown;
  try {
    index = JSON.parse(text);
  } catch {
    throw new UsageError(`generated/help/index.json is no JSON: ${AGAIN}`);
  }
  if (!isHelpIndex(index)) throw new UsageError(`generated/help/index.json is no help index of this version: ${AGAIN}`);
  if (index.registry_version !== version)
    throw new UsageError(
      `generated/help/ is of registry ${shortVersion(String(index.registry_version))}, generated/registry.json is ${shortVersion(version)}: ${AGAIN}`,
    );
  const missing = tools.find(({ op }) => !Object.hasOwn(index.ops, op));
  if (missing) throw new UsageError(`generated/help/index.json does not hold ${missing.op}: ${AGAIN}`);
  const { ops, ...rest } = index;
  return {
    ...rest,
    ops: Object.fromEntries(tools.map((tool) => [tool.op, wholeHelp(ops[tool.op] as ListedHelp, tool)])),
  };
}

/** Checks the parts that are not checked elsewhere: an earlier version listed snippets without their text. */
const isHelpIndex = (value: unknown): value is HelpIndexFile =>
  isRecord(value) &&
  isRecord(value["ops"]) &&
  isRecord(value["packs"]) &&
  Array.isArray(value["aliases"]) &&
  Array.isArray(value["snippets"]) &&
  value["snippets"].every((one) => isRecord(one) && typeof one["body"] === "string");

function helpPage(root: string, op: string): string {
  try {
    return readFileSync(join(root, "generated", "help", `${op}.md`), "utf8");
  } catch {
    throw new UsageError(`there is no generated/help/${op}.md: ${AGAIN}`);
  }
}

function checkedBase(base: string | undefined): string | undefined {
  if (base !== undefined && !(/^https?:\/\//.test(base) && URL.canParse(base)))
    throw new UsageError(`--base ${base}: give an address like https://docs.example.com/tools/`);
  return base;
}

async function changesSince(setting: DocsSetting, { against, today }: DocsFlags): Promise<BaselineChanges | undefined> {
  if (against === undefined) return undefined;
  const changes = await setting.changes();
  if (!changes) throw new UsageError(`--against ${against}: no feature here compares builds: leave it out`);
  const day = today === undefined ? {} : { today };
  const { head, baseline, findings } = await changes.sinceBaseline(setting, { against, ...day });
  const since = against.startsWith("git:") ? against.slice("git:".length) : basename(against);
  const tools = [...head.registry.tools, ...baseline.registry.tools];
  const listed = new Set(listedTools(tools, setting.config).map((one) => one.op));
  const hidden = new Set(tools.map((one) => one.op).filter((op) => !listed.has(op)));
  return {
    since,
    version: baseline.registry.registry_version,
    findings: findings.filter((one) => !hidden.has(one.op)),
  };
}

/** Layouts, style and scripts of the package; the search library comes from its own package. */
function shippedFiles(packageFolder: string): Pick<SiteInput, "templates" | "assets"> {
  const shipped = (name: string): string =>
    readFileSync(join(packageFolder, "features", "docs-site", "site", name), "utf8");
  const templates = Object.fromEntries(TEMPLATES.map((name) => [name, shipped(`${name}.njk`)]));
  const assets = ["icon.svg", "page.js", "search.js", "theme.js"].map(
    (name) => [`assets/${name}`, shipped(name)] as const,
  );
  const style = ["page.css", "bars.css", "content.css", "guide.css", "phone.css"].map(shipped).join("\n");
  return {
    templates: templates as Record<TemplateName, string>,
    assets: new Map([...assets, ["assets/site.css", style], ["assets/minisearch.js", minisearch()]]),
  };
}

/** The browser build of the search library, without its last line, which names a missing source map. */
function minisearch(): string {
  const main = createRequire(import.meta.url).resolve("minisearch");
  const text = readFileSync(join(main, "..", "..", "umd", "index.js"), "utf8");
  return `/* minisearch, MIT licence, by Luca Ongaro */\n${text.replace(/^\/\/# sourceMappingURL=.*$/m, "")}`;
}

/** A registry and its help index. */
export interface ListedRegistry {
  readonly registry: Registry;
  readonly index: HelpIndex;
}

/** The same without hidden ops, packs that contain no other ops, and aliases of hidden ops. */
export function withoutHidden({ registry, index }: ListedRegistry, config: Config): ListedRegistry {
  const tools = listedTools(registry.tools, config);
  if (tools.length === registry.tools.length) return { registry, index };
  const groups = new Set(tools.map((one) => one.group));
  const listed = { ...registry, tools, packs: registry.packs.filter(({ name }) => groups.has(name)) };
  const known = opsByAnyName(listed, index);
  return { registry: listed, index: { ...index, aliases: index.aliases.filter(({ name }) => known.has(name)) } };
}
