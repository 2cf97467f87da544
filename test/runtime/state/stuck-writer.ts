/** A process for tests of the state: stores a secret in a transaction, says so, and never ends it. Arguments: root, URL. */

import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";

const [, , root = "", url = ""] = process.argv;
const state = await openState({ url, root });
await state.transaction("write", async (tx) => {
  await queries(tx).insertInto("server_secrets").values({ name: "stuck", value: "" }).execute();
  process.stdout.write("stored\n");
  await new Promise(() => setInterval(() => undefined, 1000));
});
