/** Worker that renders templates of snippets: a loop in one must not stop the server. */

import { parentPort } from "node:worker_threads";
import type { RenderOrder } from "../snippet-renderer.js";
import { renderTemplate } from "../snippet-template.js";

parentPort?.on("message", async ({ id, body, values, marks, most }: RenderOrder) => {
  parentPort?.postMessage({ id, rendered: await renderTemplate(body, values, marks, most) });
});
