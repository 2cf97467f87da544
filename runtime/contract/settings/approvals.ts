/** Calls that wait for a person, and writes that are remembered. */

import type { JsonSchema } from "../registry.js";
import { CENTURY_DAYS } from "./parts.js";
import * as s from "./setting.js";

/** Where a person decides: in the console, on the command line, or asked by the client that made the call. */
export const DECIDERS = ["console", "cli", "elicitation"] as const;

/** Conditions on arguments: any map passes the shape, and the rules compile it. */
const WHEN = s.map(
  s.anything(),
  "Schemas of arguments by name, or a JSON Schema of an object. Default: any arguments.",
) as s.Setting<JsonSchema, JsonSchema | undefined>;

/** Keys about approvals and idempotency keys. */
export const APPROVAL_SETTINGS = {
  approvals: s.expanded(
    s.group("Who may decide about calls that wait for a person, and who is told of them.", {
      own: s.flag("Whether an admin may decide in the console about what their own key has asked for. Default: false."),
      webhook: s.group("Receives a signed request about calls that wait, as Standard Webhooks says.", {
        url: s.required(s.filled("URL of the receiver.")),
        secret: s.required(s.secret(s.filled("Name of the secret that signs, such as ${WEBHOOK_SECRET}."))),
      }),
    }),
  ),
  approve: s.list(
    s.entry({
      ops: s.list(s.filled(), "Patterns of ops, such as onto.*.delete."),
      kind: s.choice(["write"], "write: all writes."),
      destructive: s.flag("Whether the ops may delete or overwrite."),
      when: WHEN,
      unless: s.group("Calls to which the rule does not apply.", {
        callers: s.list(s.filled(), "Ids of callers, such as local."),
      }),
      by: s.list(s.choice(DECIDERS), "Where a person may decide: console, cli, elicitation. Default: console and cli."),
      expires: s.filled("How long a call waits: a number and s, m, h or d, up to 7d. Default: 24h."),
    }),
    "Writes that wait for the approval of a person; the first rule that applies decides.",
  ),
  ledger: s.group("How long idempotency keys are remembered.", {
    keep_hours: s.integer([0, CENTURY_DAYS * 24], "Hours for which an answer is kept at least.", 24),
  }),
};
