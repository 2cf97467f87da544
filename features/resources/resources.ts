/** Serves resources: `onetool://tools`, `onetool://tool/{name}` for each visible op, and ops exposed as resources. */

import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { tryPrincipal } from "../../runtime/access/callers.js";
import type { RegistryView } from "../../runtime/catalog/registry.js";
import type { Settings } from "../../runtime/config/settings.js";
import { closest } from "../../runtime/contract/closest.js";
import { UNKNOWN } from "../../runtime/contract/help.js";
import { argumentShapes, resultShape } from "../../runtime/contract/op-page.js";
import type { JsonValue, Tool } from "../../runtime/contract/registry.js";
import { clip } from "../../runtime/contract/scrub.js";
import type { McpAnswers, McpPages } from "../../runtime/gateway/mcp-part.js";
import { shownLanguage } from "../../runtime/packs/ot/catalogue.js";
import { firstExample, toolSource } from "../../runtime/packs/ot/tools.js";
import { invalidParamsError, pageOf } from "../../runtime/serve/mcp/pages.js";
import { callExposedResource, contentsOf } from "./exposed-resource-call.js";
import { argumentsOf, isTemplate, resourceAt, seenOf, type VisibleOp } from "./exposed-resources.js";
import type { ExposedResource, ExposedResources } from "./exposed-settings.js";

const ALL = "onetool://tools";
const ONE = "onetool://tool/";
/** URI template of a tool page. */
export const TOOL_TEMPLATE = `${ONE}{name}`;
const mimeType = "application/json";

/** Longest text in characters: in lists, in the page of an op, and of a name in an error. */
const MAX_LISTED_LENGTH = 300;
const MAX_PAGE_LENGTH = 20_000;
const MAX_ECHO_LENGTH = 100;
/** Most examples on the page of an op. */
const MAX_EXAMPLES = 20;

/** The answers about resources. */
export const resourceAnswers = ({ resources }: ExposedResources): McpAnswers => ({
  "resources/list": async ({ params }, { gateway: { index }, principal }) => {
    const who = await tryPrincipal(principal);
    if (!who) return { resources: [] };
    const view = index.view(who.grant);
    const { listed } = view;
    const names = namesOf(view).own;
    const all = { uri: ALL, name: "tools", title: "Tools", description: "Every tool with its signature.", mimeType };
    const fixed = seenOf(resources, view).filter((one) => !isTemplate(one));
    const exposed = fixed.map((one) => ({ uri: one.uri, ...aboutOffer(one) }));
    const { entries, more } = pageOf<Tool | Resource>([all, ...exposed, ...listed], params?.cursor);
    return { resources: entries.map((one) => ("op" in one ? entryOf(one, nameOf(names, one)) : one)), ...more };
  },
  "resources/templates/list": async ({ params }, { gateway: { index }, principal }) => {
    const who = await tryPrincipal(principal);
    if (!who) return { resourceTemplates: [] };
    const templates = seenOf(resources, index.view(who.grant)).filter(isTemplate);
    const exposed = templates.map((one) => ({ uriTemplate: one.uri, ...aboutOffer(one) }));
    const { entries, more } = pageOf([ONE_TOOL, ...exposed], params?.cursor);
    return { resourceTemplates: [...entries], ...more };
  },
  "resources/read": async ({ params: { uri } }, given) => {
    const who = await given.principal();
    const { index, settings } = given.gateway;
    const view = index.view(who.grant);
    const found = resourceAt(uri, seenOf(resources, view));
    if (!found) return read(uri, view, settings);
    const { tool, mime } = found.resource;
    const call = { who, tool, args: argumentsOf(tool, found.values), uri };
    return { contents: contentsOf(uri, mime, await callExposedResource(given, call)) };
  },
});

const ONE_TOOL: ResourceTemplateType = {
  uriTemplate: TOOL_TEMPLATE,
  name: "tool",
  title: "Tool",
  description:
    "One tool: signature, arguments, examples. The name is its op, its tool name, or its op with underscores.",
  mimeType,
};

/** The listing of an op exposed as a resource. */
const aboutOffer = ({ op, tool, name = op, description = tool.summary, mime }: VisibleOp<ExposedResource>) => ({
  name,
  description: clip(description, MAX_LISTED_LENGTH),
  ...(mime === undefined ? {} : { mimeType: mime }),
});

const entryOf = ({ op, summary }: Tool, name: string) => ({
  uri: `${ONE}${encodeURIComponent(name)}`,
  name,
  title: op,
  description: clip(summary, MAX_LISTED_LENGTH),
  mimeType,
});

function read(uri: string, view: RegistryView, settings: Settings): ReadResourceResult {
  if (uri === ALL) return content(uri, listOf(view, settings));
  const name = uri.startsWith(ONE) ? decoded(uri.slice(ONE.length)) : undefined;
  if (name === undefined)
    throw new ResourceNotFoundError(
      uri,
      `Resource '${clip(uri, MAX_ECHO_LENGTH)}' not found. There are ${ALL} and ${TOOL_TEMPLATE}`,
    );
  const found = findTools(view, name);
  const [tool] = found;
  if (!tool || found.length > 1) throw new ResourceNotFoundError(uri, notFound(view, name, found));
  return content(uri, detailsOf(tool, nameOf(namesOf(view).own, tool), settings));
}

/** The URIs of a tool's page, as lists and templates give them. */
const addressesOf = ({ op }: Tool): readonly string[] =>
  [flatten(op), op].map((name) => `${ONE}${encodeURIComponent(name)}`);

/** The built-in pages. */
export const ownPages = ({ resources }: ExposedResources, settings: Settings): McpPages => ({
  // Access and target are added, since they affect who sees a tool and are not on its page.
  contents(view) {
    const access = view.listed.map((tool) => `${tool.access} ${tool.target}`);
    const pages = view.listed.flatMap((tool, i) => {
      const text = `${access[i]} ${JSON.stringify(detailsOf(tool, tool.op, settings))}`;
      return addressesOf(tool).map((uri) => [uri, text] as const);
    });
    return new Map([[ALL, `${access.join()} ${JSON.stringify(listOf(view, settings))}`], ...pages]);
  },
  has: isOwnPage,
  require(uri, view) {
    if (isOwnPage(uri, view)) return;
    if (!resourceAt(uri, seenOf(resources, view))) read(uri, view, settings);
    throw invalidParamsError(
      `Changes of '${clip(uri, MAX_ECHO_LENGTH)}' are not reported; those of ${ALL} and of the addresses of tools in resources/list are.`,
    );
  },
});

/** Whether a URI is a built-in page, in the form that lists use. */
function isOwnPage(uri: string, view: RegistryView): boolean {
  if (uri === ALL) return true;
  const [tool, ...more] = uri.startsWith(ONE) ? findTools(view, decoded(uri.slice(ONE.length))) : [];
  return tool !== undefined && more.length === 0 && addressesOf(tool).includes(uri);
}

const content = (uri: string, value: JsonValue): ReadResourceResult => ({
  contents: [{ uri, mimeType, text: JSON.stringify(value) }],
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const listOf = (view: RegistryView, settings: Settings): JsonValue =>
  view.listed.map((tool) => ({
    name: nameOf(namesOf(view).own, tool),
    signature: clip(tool.signature[shownLanguage(settings).signature], MAX_PAGE_LENGTH),
    description: clip(tool.summary, MAX_LISTED_LENGTH),
  }));

function detailsOf(tool: Tool, name: string, settings: Settings): JsonValue {
  const { toolExamples } = settings;
  const language = shownLanguage(settings);
  const example = firstExample(tool, language);
  const shapes = argumentShapes(tool);
  const examples = toolExamples.get(tool.op) ?? (example === undefined ? [] : [example]);
  return {
    name,
    op: tool.op,
    signature: clip(tool.signature[language.signature], MAX_PAGE_LENGTH),
    description: clip(tool.description || tool.summary, MAX_PAGE_LENGTH),
    args: tool.parameters.map((parameter) => ({
      name: parameter.name,
      type: clip(shapes.get(parameter.name)?.text ?? parameter.type, MAX_PAGE_LENGTH),
      required: parameter.required,
      ...(parameter.default === undefined ? {} : { default: parameter.default }),
      description: clip(parameter.description ?? "", MAX_PAGE_LENGTH),
    })),
    examples: examples.slice(0, MAX_EXAMPLES).map((one) => clip(one, MAX_PAGE_LENGTH)),
    returns: clip(resultShape(tool)?.text ?? UNKNOWN, MAX_PAGE_LENGTH),
    source: toolSource(tool),
  };
}

/** The tool names: ops with underscores, which are also callable in code. */
interface Names {
  /** By op; the op itself if two ops would share a name. */
  readonly own: ReadonlyMap<string, string>;
  /** The tools of each name with underscores. */
  readonly flat: ReadonlyMap<string, readonly Tool[]>;
}

const known = new WeakMap<RegistryView, Names>();

function namesOf(view: RegistryView): Names {
  const names = known.get(view) ?? makeNames(view.listed);
  known.set(view, names);
  return names;
}

function makeNames(listed: readonly Tool[]): Names {
  const flat = new Map<string, Tool[]>();
  for (const tool of listed) {
    const name = flatten(tool.op);
    flat.set(name, [...(flat.get(name) ?? []), tool]);
  }
  return {
    flat,
    own: new Map(listed.map(({ op }) => [op, flat.get(flatten(op))?.length === 1 ? flatten(op) : op])),
  };
}

const flatten = (op: string): string => op.replaceAll(".", "_");

const nameOf = (own: Names["own"], { op }: Tool): string => own.get(op) ?? op;

/** The listed tools that match a name: by op, by op with underscores, by tool name or alias. */
function findTools(view: RegistryView, name: string): readonly Tool[] {
  const { flat } = namesOf(view);
  const exact = view.exact(name) ?? view.folded(name);
  const kinds = [exact ? [exact] : [], flat.get(name) ?? [], view.named(name), flat.get(name.toLowerCase()) ?? []];
  for (const kind of kinds) {
    const found = kind.filter(({ op }) => view.isListed(op));
    if (found.length > 0) return found;
  }
  return [];
}

function notFound(view: RegistryView, name: string, found: readonly Tool[]): string {
  const { own } = namesOf(view);
  const shown = clip(name, MAX_ECHO_LENGTH);
  if (found.length > 1) return `Tool '${shown}' is ambiguous: ${found.map((tool) => nameOf(own, tool)).join(", ")}`;
  const near = closest(flatten(name), own.values());
  return `Tool '${shown}' not found.${near === undefined ? "" : ` Nearest: ${near}`}`;
}

/** Names that begin with the typed text, then names that contain it; ops if it has a dot. */
export function completeTool(view: RegistryView, typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const names = wanted.includes(".") ? view.listed.map(({ op }) => op) : [...namesOf(view).own.values()];
  const holding = names.filter((name) => name.toLowerCase().includes(wanted));
  const begins = (name: string): boolean => name.toLowerCase().startsWith(wanted);
  return [...holding.filter(begins), ...holding.filter((name) => !begins(name))];
}
