/** Worker that renders templates of snippets, so that a loop in a template cannot block the server. */

import { parentPort } from "node:worker_threads";
import { LANGUAGES } from "../languages/table.js";
import type { RenderOrder } from "../snippet-renderer.js";
import { type Rendered, renderTemplate } from "../snippet-template.js";

parentPort?.on("message", async ({ id, ...order }: RenderOrder) => {
  parentPort?.postMessage({ id, rendered: await render(order) });
});

/** Renders a template to code of its language, with its values in place. */
async function render({ language, body, values, marks, most }: Omit<RenderOrder, "id">): Promise<Rendered> {
  const row = LANGUAGES.find(({ name }) => name === language);
  if (!row) return { kind: "invalid", reason: `there is no language ${language}` };
  const { texts } = await row.load();
  const rendered = await renderTemplate(body, values, { marks, most, printed: texts.printed });
  return rendered.kind === "text" ? texts.placed(rendered.text, marks) : rendered;
}
