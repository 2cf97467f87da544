/**
 * A process for tests of the state: writes ledger rows one after the other, numbered by its reads. Arguments: root,
 * URL, count.
 */

import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";

const [, , root = "", url = "", count = "0"] = process.argv;
const state = await openState({ url, root });
for (let i = 0; i < Number(count); i++)
  await state.transaction(
    "write",
    async (tx) => {
      const rows = await queries(tx).selectFrom("ledger").select("key").execute();
      const row = {
        caller: "c",
        op: "o",
        key: String(rows.length),
        args_hash: "",
        status: "pending",
        envelope: null,
      } as const;
      const times = { owner: String(process.pid), lease_until: "", created_at: "", expires_at: "" };
      await queries(tx)
        .insertInto("ledger")
        .values({ ...row, ...times })
        .execute();
    },
    "pack test",
  );
await state.close();
