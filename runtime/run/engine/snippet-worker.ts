/** Worker that renders templates of snippets, so that a loop in a template cannot block the server. */

import { parentPort } from "node:worker_threads";
import { LANGUAGES } from "../languages/table.js";
import type { RenderOrder } from "../snippet-renderer.js";
import { type Rendered, renderTemplate } from "../snippet-template.js";

parentPort?.on("message", async ({ id, ...order }: RenderOrder) => {
  parentPort?.postMessage({ id, rendered: await render(order) });
});

/** Renders a template to code of the first language, with its values in place. */
async function render({ body, values, marks, most }: Omit<RenderOrder, "id">): Promise<Rendered> {
  const rendered = await renderTemplate(body, values, marks, most);
  if (rendered.kind !== "text") return rendered;
  const { texts } = await LANGUAGES[0].load();
  const text = texts.placed(rendered.text, marks);
  if (text === undefined) return { kind: "invalid", reason: "a raw string cannot hold the value of a parameter" };
  return { kind: "text", text };
}
