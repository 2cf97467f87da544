/** Worker that renders snippets of TypeScript. */

import { answerOrders } from "../../runtime/run/snippet-service.js";

answerOrders(async () =>
  import("../../runtime/run/languages/typescript/texts.js").then(({ TYPESCRIPT_TEXTS: texts }) => ({ texts })),
);
