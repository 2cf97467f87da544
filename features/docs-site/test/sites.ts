/** Documentation sites for tests: built by the command line, checked as files, served on loopback. */

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, posix, relative, sep } from "node:path";
import { Parser } from "htmlparser2";
import { type Json, toolwright } from "../../../test/support/project.js";

/** Builds a site; what the command says as JSON. */
export async function buildSite(root: string, out: string, ...flags: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await toolwright([
    ...["docs", "build", "--root", root, "--out", out, "--json"],
    ...flags,
  ]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Files of a site, relative to its folder, sorted. */
export const siteFilesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)).split(sep).join("/"))
    .sort();

/** The pages of a site, without `404.html`, whose links start at the root of a host. */
export const pagesIn = (folder: string): readonly string[] =>
  siteFilesIn(folder).filter((one) => one.endsWith(".html") && one !== "404.html");

/** What a page refers to, and what could run in it. */
export interface PageParts {
  /** Addresses of links, styles, scripts, images and forms. */
  readonly targets: readonly string[];
  readonly ids: readonly string[];
  /** Addresses of scripts; a script in the page is "". */
  readonly scripts: readonly string[];
  /** Elements, each once. */
  readonly elements: ReadonlySet<string>;
  /** Attributes that begin with `on`, and `style`. */
  readonly active: readonly string[];
  readonly canonical: string;
  readonly text: string;
}

/** Scripts of a page that are not the two of every page. */
export const foreignScripts = ({ scripts }: PageParts): readonly string[] =>
  scripts.filter((one) => !/^(?:\.\.\/)*assets\/(?:theme|page)\.js$/.test(one));

/** Reads a page. */
export function partsOf(html: string): PageParts {
  const found = { targets: [] as string[], ids: [] as string[], scripts: [] as string[], active: [] as string[] };
  const elements = new Set<string>();
  let [canonical, text] = ["", ""];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      elements.add(name);
      if (name === "script") found.scripts.push(attributes["src"] ?? "");
      if (attributes["rel"] === "canonical") canonical = attributes["href"] ?? "";
      else
        for (const key of ["href", "src", "action"])
          if (attributes[key] !== undefined) found.targets.push(attributes[key]);
      if (attributes["id"] !== undefined) found.ids.push(attributes["id"]);
      found.active.push(...Object.keys(attributes).filter((key) => key.startsWith("on") || key === "style"));
    },
    ontext: (part) => {
      text += part;
    },
  });
  parser.end(html);
  return { ...found, elements, canonical, text };
}

/** Broken links of pages, as `page → target`; links to other hosts are ignored. */
export function brokenLinks(folder: string): readonly string[] {
  const files = new Set(siteFilesIn(folder));
  const parts = new Map(pagesIn(folder).map((page) => [page, partsOf(readFileSync(join(folder, page), "utf8"))]));
  return [...parts].flatMap(([page, { targets, canonical }]) =>
    targets
      .filter((target) => !/^https?:/.test(target) && target !== canonical)
      .filter((target) => {
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? page : posix.join(posix.dirname(page), decodeURIComponent(path));
        return !files.has(file) || (anchor !== undefined && !parts.get(file)?.ids.includes(decodeURIComponent(anchor)));
      })
      .map((target) => `${page} → ${target}`),
  );
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Serves a folder below `/some/where/` as a static host would; closes with what is returned. */
export async function serveFolder(folder: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname);
    const inside = path.startsWith("/some/where/") ? normalize(path.slice("/some/where/".length)) : "..";
    const file = join(folder, inside.endsWith("/") || inside === "." ? join(inside, "index.html") : inside);
    try {
      if (inside.startsWith("..")) throw new Error("outside");
      const body = readFileSync(file);
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain; charset=utf-8" }).end(body);
    } catch {
      response.writeHead(404).end("not found");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/some/where/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
