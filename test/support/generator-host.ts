/** Builds in memory: a project is a map from paths under `definitions/` to texts, without files on disk. */

import { FEATURES } from "../../features/list.js";
import { loadConfig } from "../../generator/config/config.js";
import { type Diagnostic, Report } from "../../generator/core/diagnostic.js";
import { type Build, type BuildHost, buildGenerated } from "../../generator/pipeline.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { PYTHON_LANGUAGE } from "../../runtime/contract/python-language.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { templateFault } from "../../runtime/run/snippet-template.js";

/** Texts by path under `definitions/`. */
export type Project = Readonly<Record<string, string>>;

/** A language besides Python, so that diagnostics about it are found without a feature that adds one. */
const STAND_IN = { name: "stand-in", languages: [{ ...PYTHON_LANGUAGE, name: "typescript" }] };
const WITH_LANGUAGE = FEATURES.some(({ languages }) => languages) ? FEATURES : [...FEATURES, STAND_IN];

/** Cheap and stable: an upgrade of the tokenizer must not rewrite golden cases. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** What a build reads the world through, over a map. */
export function hostOf(project: Project, paths: readonly string[] = Object.keys(project).sort(byCodeUnit)): BuildHost {
  const texts = new Map(Object.entries(project).map(([path, text]) => [`definitions/${path}`, text]));
  return {
    read: (file) => texts.get(file),
    list: (pattern) => {
      const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      const matches = new RegExp(`^${parts.join("[^/]*")}$`);
      return paths.filter((path) => matches.test(path)).map((path) => `definitions/${path}`);
    },
    committed: () => texts.get("definitions/../generated/registry.json"),
    // A plugin of a test is plain JavaScript that imports nothing, so it needs no bundle.
    plugin: async (specifier) => {
      const text = texts.get(`definitions/${specifier.replace(/^\.\//, "")}`);
      return text === undefined
        ? { missing: "cannot be found" }
        : { url: `data:text/javascript;base64,${Buffer.from(text).toString("base64")}` };
    },
    countTokens,
    templateFault,
    features: WITH_LANGUAGE,
    gatewayTools: [{ name: "tool_help" }],
    version: "0.0.0-test",
  };
}

/** A finished build, or the diagnostics that stopped the configuration. */
export type Outcome = Pick<Build, "files" | "diagnostics"> & Partial<Build>;

/** Loads the configuration of a project and builds it. */
export async function buildProject(project: Project, host: BuildHost = hostOf(project)): Promise<Outcome> {
  const report = new Report();
  const config = loadConfig((file) => host.read(`definitions/${file}`), report, { features: WITH_LANGUAGE });
  return config ? buildGenerated(config, host, report) : { files: [], diagnostics: report.sorted() };
}

/** Builds a project that must have no error. */
export async function registryOf(project: Project, host?: BuildHost): Promise<Registry> {
  const { registry, diagnostics } = await buildProject(project, host);
  if (!registry) throw new Error(errorsOf(diagnostics).join("\n"));
  return registry;
}

/** Errors, a line each. */
export const errorsOf = (diagnostics: readonly Diagnostic[]): readonly string[] =>
  diagnostics
    .filter((one) => one.severity === "error")
    .map((one) => `${one.file}:${one.line}:${one.column} ${one.code} ${one.message}`);

/** A function tool in OpenAI's form. */
export const tool = (
  name: string,
  properties: object = {},
  rest: object = {},
  description = `Does ${name}.`,
): object => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties, ...rest } },
});

/** A project of one JSON source, pack `p`, with extra lines of configuration. */
export const jsonProject = (tools: readonly unknown[], config = ""): Project => ({
  "toolwright.yaml": `use: []\nsources:\n  - { chat-tools: tools.json, pack: p, kind: read }\n${config}`,
  "tools.json": JSON.stringify(tools, null, 1),
});

/** A project of the tool `get_things`, pack `p`, whose handlers file is this text. */
export const handlersProject = (handlers: string): Project => ({
  "toolwright.yaml": "use: []\nsources:\n  - { chat-tools: tools.json, pack: p, handlers: h.ts }\n",
  "tools.json": JSON.stringify([tool("get_things")]),
  "h.ts": handlers,
});

/** A project of one TypeScript source, pack `p`. */
export const tsProject = (source: string, config = "", others: Project = {}): Project => ({
  "toolwright.yaml": `use: []\nsources:\n  - { chat-tools: tools.ts, pack: p, kind: read }\n${config}`,
  "tools.ts": source,
  ...others,
});

/** A project of one file of typed functions, pack `p`. */
export const functionsProject = (source: string, config = "", others: Project = {}): Project => ({
  "toolwright.yaml": `use: []\nsources:\n  - { functions: p.ts, kind: read }\n${config}`,
  "p.ts": source,
  ...others,
});

/** A project of one plugin and a file a.ini for it. */
export const pluginProject = (plugin: string, rest = "sources: []\n", others: Project = {}): Project => ({
  "toolwright.yaml": `use: []\nplugins: [./plugin.js]\n${rest}`,
  "plugin.js": plugin,
  "a.ini": "[get_a]\n",
  ...others,
});

/** A description with these paths. */
export const openapi = (paths: object, rest: object = {}): object => ({
  openapi: "3.1.0",
  info: { title: "A" },
  servers: [{ url: "https://api.example.com" }],
  paths,
  ...rest,
});

/** A project of one HTTP API, pack `p`. */
export const openapiProject = (description: object, entry = "", others: Project = {}): Project => ({
  "toolwright.yaml": `use: []\nsources:\n  - { openapi: api.json, pack: p${entry} }\n`,
  "api.json": JSON.stringify(description, null, 1),
  ...others,
});

/** The one tool of a project. */
export async function onlyTool(project: Project): Promise<Tool> {
  const { tools } = await registryOf(project);
  const [only] = tools;
  if (!only || tools.length > 1) throw new Error(`${tools.length} tools`);
  return only;
}
