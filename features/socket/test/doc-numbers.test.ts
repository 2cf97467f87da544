/** Numbers in the prose of `docs/` about the socket equal the constants of the code. */

import { testNumbers } from "../../../test/support/doc-numbers.js";
import { constantIn } from "../../../test/support/source-constants.js";

testNumbers({
  "docs/reference/environment.md": [
    ["waits for the other end (#)", constantIn("features/socket/client.ts", "WAIT_MS")],
  ],
});
