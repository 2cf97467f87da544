/** Worker that renders templates of snippets: a loop in one must not stop the server. */

import { parentPort } from "node:worker_threads";
import { placeValues } from "../snippet-literals.js";
import type { RenderOrder } from "../snippet-renderer.js";
import { type Rendered, renderTemplate } from "../snippet-template.js";

parentPort?.on("message", async ({ id, ...order }: RenderOrder) => {
  parentPort?.postMessage({ id, rendered: await render(order) });
});

/** The Python that a template becomes, its values in their places. */
async function render({ body, values, marks, most }: Omit<RenderOrder, "id">): Promise<Rendered> {
  const rendered = await renderTemplate(body, values, marks, most);
  if (rendered.kind !== "text") return rendered;
  const text = placeValues(rendered.text, marks);
  if (text === undefined) return { kind: "invalid", reason: "a raw string cannot hold the value of a parameter" };
  return { kind: "text", text };
}
