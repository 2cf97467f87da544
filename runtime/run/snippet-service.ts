/** What a worker does that renders snippets of one language. */

import { parentPort } from "node:worker_threads";
import type { LanguageTexts } from "./languages/language.js";
import type { RenderOrder } from "./snippet-renderer.js";
import { type Rendered, renderTemplate } from "./snippet-template.js";

/** Answers the orders of the server: a template becomes code of the language, with its values in place. */
export function answerOrders(load: () => Promise<{ readonly texts: LanguageTexts }>): void {
  const render = async ({ body, values, marks, most }: RenderOrder): Promise<Rendered> => {
    const { texts } = await load();
    const rendered = await renderTemplate(body, values, { marks, most, printed: texts.printed });
    return rendered.kind === "text" ? texts.placed(rendered.text, marks) : rendered;
  };
  parentPort?.on("message", async (order: RenderOrder) => {
    parentPort?.postMessage({ id: order.id, rendered: await render(order) });
  });
}
