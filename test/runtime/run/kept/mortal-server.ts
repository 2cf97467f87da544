/**
 * A server process that carries out programs and is killed on the way, by itself: its points are the beginning, the end
 * and what follows the COMMIT of each write transaction, and each call of the service before it has an effect and after.
 * It goes on with what the servers before it left, and prints the answers as JSON if it is not killed. Its argument is a
 * {@link Life} as JSON.
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { JsonObject } from "../../../../runtime/contract/registry.js";
import { runSeal } from "../../../../runtime/run/kept/log-text.js";
import { openState, type State } from "../../../../runtime/state/open.js";
import { queries } from "../../../../runtime/state/schema.js";
import { ALL_LANGUAGES } from "../../../support/run/languages.js";
import { lendSnapshots } from "../../../support/run/python-snapshots.js";
import { fixture, handler, principal } from "../../gateway/fixture.js";
import { LENT_LANGUAGES } from "../../gateway/lent-engines.js";

/** What a process does. */
export interface Life {
  readonly url: string;
  readonly root: string;
  readonly programs: readonly string[];
  /** The number of the point at which it is killed; 0: it is not. */
  readonly killAt: number;
}

const PATIENCE_MS = 300_000;

const { url, root, programs, killAt } = JSON.parse(process.argv[2] ?? "") as Life;
let points = 0;
const point = (): void => {
  if (++points === killAt) process.kill(process.pid, "SIGKILL");
};

const state = await openState({ url, root });
const mortal: State = {
  ...state,
  async transaction(mode, work, order) {
    if (mode === "read") return state.transaction(mode, work, order);
    point();
    const made = await state.transaction(
      mode,
      async (tx) => {
        const done = await work(tx);
        point();
        return done;
      },
      order,
    );
    point();
    return made;
  },
};

/** The file of the service, a line for each effect: the key, and the task. */
const effects = join(root, "effects");
const keys = new Set(
  (existsSync(effects) ? readFileSync(effects, "utf8") : "").split("\n").map((line) => line.split(" ")[0]),
);

/** A service that heeds keys: a call with a known key has no effect. */
async function send({ task_id }: JsonObject, key = ""): Promise<object> {
  point();
  if (!keys.has(key)) appendFileSync(effects, `${key} ${String(task_id)}\n`);
  keys.add(key);
  point();
  return { deleted: task_id };
}

lendSnapshots(join(root, ".onetool", "cache"));
const { gateway } = fixture({
  project: { root },
  handlers: {
    "onto.task.list": handler(async () => ({ count: 1 })),
    "onto.task.delete": {
      run: (args: JsonObject, ctx: { idempotencyKey?: string }) => send(args, ctx.idempotencyKey),
      repeatable: true,
    } as never,
    "onto.task.create": {
      transactional: true,
      async run({ title }: JsonObject, { tx }: { tx: Parameters<typeof queries>[0] }) {
        await sql`insert into effects (task) values (${title})`.execute(queries(tx));
        return { created: title };
      },
    } as never,
  },
  options: { openState: async () => mortal, languages: [...LENT_LANGUAGES, ...ALL_LANGUAGES.slice(1)] },
  settings: {
    callTimeoutMs: PATIENCE_MS,
    run: runSettingsOf({ limits: { wall_ms: PATIENCE_MS, queue: programs.length } }),
  },
});

/** The runs that are stored, by their programs. */
const seal = await runSeal(state);
const known = await state.transaction("read", async (tx) => {
  const rows = await queries(tx).selectFrom("runs").select(["id", "command"]).execute();
  return new Map(rows.map(({ id, command }) => [seal.open(command), id]));
});
const texts = await Promise.all(
  programs.map(async (command) => {
    const id = known.get(command);
    return (await (id ? gateway.resume(id, undefined) : gateway.run({ command }, principal()))).text;
  }),
);
process.stdout.write(JSON.stringify(texts), () => process.exit(0));
