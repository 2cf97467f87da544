/** Serves the console's static pages, which are built ahead and read once. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import { compressResponses } from "../http/compress.js";

/** The pages: path, file, and media type. */
const PAGES: readonly (readonly [path: string, file: string, type: string])[] = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/app.js", "app.js", "text/javascript; charset=utf-8"],
  ["/style.css", "style.css", "text/css; charset=utf-8"],
  ["/icon.svg", "icon.svg", "image/svg+xml"],
];

/** The pages are next to the program. */
const FOLDER = "./console/";

/**
 * Adds the pages to the HTTP transport.
 *
 * @returns false if they have not been built
 */
export function addPages(app: Hono<{ Bindings: HttpBindings }>): boolean {
  const pages = readPages(new URL(FOLDER, import.meta.url));
  for (const [path, type, body] of pages ?? []) {
    const headers = { "Content-Type": type, ETag: tagOf(body), "Cache-Control": "no-cache" };
    app.get(path, compressResponses, ({ req }) =>
      req.header("if-none-match") === headers.ETag
        ? new Response(null, { status: 304, headers })
        : new Response(body, { headers }),
    );
  }
  return pages !== undefined;
}

/** Weak, since the bytes depend on the encoding that the client accepts. */
const tagOf = (body: string): string => `W/"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;

/** Path, media type and text of each page; `undefined` if one is missing. */
function readPages(folder: URL): readonly (readonly [path: string, type: string, body: string])[] | undefined {
  try {
    return PAGES.map(([path, file, type]) => [path, type, readFileSync(new URL(file, folder), "utf8")] as const);
  } catch {
    return undefined;
  }
}
