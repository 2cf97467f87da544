/** Statistics for reports: real rows in a real database, read as a report reads them. */

import type { CallEntry } from "../../../../runtime/contract/recorder.js";
import type { Stats } from "../../../../runtime/contract/statistics.js";
import { DATABASES, type TestDatabase } from "../../../../test/runtime/state/databases.js";
import { randomOf } from "../../../../test/support/random.js";
import { type ReportFigures, readReport } from "../../report/figures.js";
import { writeBatch } from "../../store.js";

/** When reports of tests are made. */
export const NOON = Date.UTC(2026, 10, 22, 12, 30);
const DAY = 86_400_000;

/** One call, like many. */
export const call = (more: Partial<CallEntry> = {}): CallEntry => ({
  at: NOON,
  op: "demo.search",
  ms: 3,
  chars_in: 10,
  chars_out: 100,
  trace_id: "tr",
  caller: "local",
  client: "test",
  ...more,
});

/** What a report of these calls says. */
export async function figuresOf(
  calls: readonly CallEntry[],
  { period = "all", op = "" }: { readonly period?: Stats["period"]; readonly op?: string } = {},
  { place } = DATABASES[0] as TestDatabase,
): Promise<ReportFigures> {
  const made = await place();
  const state = await made.open();
  try {
    const runs = calls.filter((_, at) => at % 3 === 0).map(({ op: _, ...one }) => ({ ...one, calls: 2 }));
    await state.transaction("write", (tx) => writeBatch(tx, { calls: [...calls], runs, sums: [], others: [] }));
    return await state.transaction("read", (tx) => readReport(tx, { period, op, now: NOON }));
  } finally {
    await state.close();
    await made.remove();
  }
}

/** Calls of some ops over some days, the same for the same arguments. */
export function manyCalls(ops: readonly string[], count: number, days: number): readonly CallEntry[] {
  const random = randomOf(7);
  const clients = ["claude-code", "cursor", ""];
  return Array.from({ length: count }, (_, at) => {
    const pick = Math.floor(random() * ops.length);
    return call({
      at: NOON - Math.floor(random() * days * DAY),
      op: ops[pick] ?? "",
      ms: 0.4 * 2 ** (pick % 13) * (0.5 + random()),
      chars_out: Math.round(random() * 9000),
      client: clients[at % 3] ?? "",
      ...(random() < 0.05 ? { code: "UNAVAILABLE" } : {}),
    });
  });
}
