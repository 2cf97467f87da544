/** Pages of names that lead to an op or make code: snippets, configured aliases, op aliases, and tools that are gone. */

import type { HelpIndex, Tombstone } from "toolwright/codegen";
import { inCode, inMarkdown } from "../emit/printer.js";
import { linked } from "./op-pages.js";
import type { Page, Site } from "./site.js";
import type { Html } from "./text.js";

/** A page for each such name; an op of the same name has the address. */
export function namePages(site: Site): readonly Page[] {
  const { registry, index } = site;
  const ops = new Set(registry.tools.map((one) => one.op));
  const opAliases = registry.tools.flatMap(({ op, aliases }) => aliases.map((name) => ({ name, op })));
  const taken = new Set([...ops, ...opAliases.map((one) => one.name)]);
  return [
    ...index.snippets.map((one) => snippetPage(site, one)),
    ...index.aliases.map(({ name, target }) =>
      pointingPage(site, { folder: site.addresses.alias(name), kind: "Alias", name, says: "stands for", op: target }),
    ),
    ...opAliases
      .filter(({ name }) => !ops.has(name))
      .map(({ name, op }) =>
        pointingPage(site, { folder: site.addresses.op(name), kind: "Other name", name, says: "stands for", op }),
      ),
    ...registry.reserved.filter(({ op }) => !taken.has(op)).map((one) => gonePage(site, one)),
  ];
}

function snippetPage(site: Site, { name, description, params }: HelpIndex["snippets"][number]): Page {
  const call = [`$${name}`, ...params.map((one) => `${one}=…`)].join(" ");
  return {
    folder: site.addresses.snippet(name),
    title: `$${name}`,
    about: description || `The snippet ${name}.`,
    template: "name",
    data: () => ({
      kind: "Snippet",
      name: `$${name}`,
      about_html: site.render.block(description),
      call,
      params,
      use: false,
    }),
    markdown: () =>
      `${[`# Snippet ${inMarkdown(`$${name}`)}`, inMarkdown(description.trim()), `Call: ${inCode(call)}`].filter((one) => one !== "").join("\n\n")}\n`,
  };
}

interface Pointing {
  readonly folder: string;
  readonly kind: string;
  readonly name: string;
  readonly says: string;
  readonly op: string | undefined;
}

function pointingPage(site: Site, { folder, kind, name, says, op: target }: Pointing): Page {
  const op = target === undefined ? undefined : (site.opOf(target) ?? target);
  const about = op === undefined ? `${name} ${says}.` : `${name} ${says} ${op}.`;
  return {
    folder,
    title: name,
    about,
    template: "name",
    data: () => ({
      kind,
      name,
      about_html: text(site, about),
      call: "",
      params: [],
      use: op ? linked(site, op) : false,
    }),
    markdown: () => `# ${inMarkdown(name)}\n\n${inMarkdown(about)}\n`,
  };
}

const text = ({ render }: Site, about: string): Html => render.inline(inMarkdown(about));

function gonePage(site: Site, { op, tool, since, sunset, use }: Tombstone): Page {
  const until = sunset === undefined ? "" : `; the name stays reserved until ${sunset}`;
  const says = `(tool ${tool}) is gone since ${since}${until}. ${use === undefined ? "Nothing takes its place" : "Use"}`;
  return pointingPage(site, { folder: site.addresses.op(op), kind: "Removed", name: op, says, op: use });
}
