/** Worker that renders snippets of TypeScript. */

import { answerOrders } from "../../runtime/run/snippet-service.js";

answerOrders(async () => import("./texts.js").then(({ TYPESCRIPT_TEXTS: texts }) => ({ texts })));
