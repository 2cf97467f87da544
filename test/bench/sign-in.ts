/**
 * What a verified token costs: calls of one op over HTTP with an access token of a real identity provider (a JWT, ES256), beside the
 * same calls with an API key at the same server, in CPU of the server's process. The keys of the provider are known after the
 * first call, so that a call asks it nothing. `--quick`: fewer calls.
 */

import { raw } from "../support/http.js";
import { freePort } from "../support/ports.js";
import { startOidc } from "../support/servers/oidc.js";
import { serveKeys } from "../support/servers/served-keys.js";
import { latencies, least, processMs, ratios, spreads } from "./measure.js";
import { createReport, flags, shown } from "./report.js";

const PAIRS = flags.quick ? 2 : 9;
/** Calls of one batch that is timed. */
const BATCH = flags.quick ? 40 : 400;
/** What a verified call may take, as a multiple of a keyed one. */
const MAX_COST = 1.5;

const { add, finish } = createReport("sign-in", "CPU of a server");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

async function main(): Promise<void> {
  const oidc = await startOidc({ lifeS: 3600 }, later);
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const config = [
    "access:",
    "  rate: { burst: 1000000, per_second: 1000000 }",
    "  oauth:",
    `    resource: ${resource}`,
    `    issuers: [{ issuer: "${oidc.issuer}", grants: [{ when: { scope: "mcp:read" }, level: read }] }]`,
  ];
  const { server, known } = await serveKeys(later, config, [], port);
  const token = await oidc.machineToken(resource);
  const pid = server.child.pid ?? 0;
  const call = async (credential: string): Promise<void> => {
    const params = { name: "tool_exec", arguments: { op: "vault.list_notes", args: {} } };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const { text } = await raw(resource, { body, headers: { authorization: `Bearer ${credential}` } });
    if (!text.includes('"ok":true')) throw new Error(text);
  };
  const batch = (credential: string) => async (): Promise<number> => {
    const before = processMs(pid);
    for (let i = 0; i < BATCH; i++) await call(credential);
    return (processMs(pid) - before) / BATCH;
  };
  const sides = await latencies(batch(token), batch(known.read.key), PAIRS);
  const { minima, paired } = ratios(sides);
  const isMet = minima <= MAX_COST;
  add(
    {
      goal: "A1",
      what: "a call with a verified JWT / with a key",
      figures: `${minima.toFixed(2)} (pairs ${paired.toFixed(2)}), bound ${MAX_COST}; ${shown(least(sides.ours))} against ${shown(least(sides.peer))}`,
      verdict: isMet ? "met" : spreads(sides) ? "inconclusive" : "missed",
      ratio: minima,
    },
    sides,
  );
}

if (process.platform === "linux") {
  try {
    await main();
  } finally {
    for (const clean of cleaning.reverse()) await clean();
  }
} else
  add({ goal: "A1", what: "a call with a verified JWT / with a key", figures: "on Linux only", verdict: "absent" });
finish();
