/** Worker that renders templates of snippets, so that a loop in a template cannot block the server. */

import { CORE_LANGUAGES } from "../languages/table.js";
import { answerOrders } from "../snippet-service.js";

answerOrders(CORE_LANGUAGES[0].load);
