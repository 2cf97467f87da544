/**
 * The table of connections. A token is renewed under a lease of its row, which every server respects: no connection to
 * the database is held meanwhile, and the lease of a server that dies ends by the clock of the database.
 */

import { sql } from "kysely";
import { nowIn } from "../state/job-table.js";
import type { State } from "../state/open.js";
import { type ConnectionRow, iso, type Queries, queries } from "../state/schema.js";
import type { Sealed } from "./sealing.js";

/** Identifies a connection: whose it is, with what, and through which authorization server. */
export interface ConnectionKey {
  /** `shared`: of all callers; `own`: of one principal; `client`: of toolwright as a registered client. */
  readonly kind: ConnectionRow["kind"];
  /** Id of the principal; empty for a shared one. */
  readonly principal: string;
  readonly server: string;
  readonly issuer: string;
}

/** A stored connection. `version` counts its changes. */
export type StoredConnection = Sealed & Pick<ConnectionRow, "version" | "created_at">;

/** What a list shows of a connection. */
export type ListedConnection = Pick<
  ConnectionRow,
  "kind" | "principal" | "server" | "issuer" | "created_at" | "updated_at"
>;

/** How long a server may take to renew a token, by the clock of the database. */
export const RENEWAL_LEASE_MS = 15_000;

/** What identifies a row. */
export const rowIdentity = ({ kind, principal, server, issuer }: ConnectionKey): readonly string[] => [
  kind,
  principal,
  server,
  issuer,
];

/** Runs one statement, in a transaction of its own. */
export const inOwnTransaction = <T>(state: State, work: (db: Queries) => Promise<T>): Promise<T> =>
  state.shared ? state.shared.once(work) : state.transaction("write", (tx) => work(queries(tx)));

const read = <T>(state: State, work: (db: Queries) => Promise<T>): Promise<T> =>
  state.shared ? state.shared.once(work) : state.transaction("read", (tx) => work(queries(tx)));

/** Reads a connection. */
export const findConnection = (state: State, key: ConnectionKey): Promise<StoredConnection | undefined> =>
  read(state, (db) => at(db, key).select(COLUMNS).executeTakeFirst());

const COLUMNS = ["body", "key_id", "version", "created_at"] as const;

const at = (db: Queries, { kind, principal, server, issuer }: ConnectionKey) =>
  db
    .selectFrom("connections")
    .where("kind", "=", kind)
    .where("principal", "=", principal)
    .where("server", "=", server)
    .where("issuer", "=", issuer);

/** Stores a new connection in place of an earlier one, whose lease ends. */
export async function storeConnection(state: State, key: ConnectionKey, sealed: Sealed, now: number): Promise<void> {
  const row = { ...key, ...sealed, version: 1, lease_owner: null, lease_until: null };
  await inOwnTransaction(state, (db) =>
    db
      .insertInto("connections")
      .values({ ...row, created_at: iso(now), updated_at: iso(now) })
      .onConflict((conflict) =>
        conflict.columns(["kind", "principal", "server", "issuer"]).doUpdateSet({
          ...sealed,
          ...{ lease_owner: null, lease_until: null, created_at: iso(now), updated_at: iso(now) },
          version: sql<number>`connections.version + 1`,
        }),
      )
      .execute(),
  );
}

/** A lease of a row. */
export interface RowLease {
  readonly key: ConnectionKey;
  readonly owner: string;
  readonly version: number;
  /** When the row was made: one that is deleted and made again has the same versions. */
  readonly created_at?: string;
}

const leased = (db: Queries, lease: RowLease) => unchanged(db, lease).where("lease_owner", "=", lease.owner);

const unchanged = (db: Queries, { key, version, created_at }: RowLease) =>
  db
    .updateTable("connections")
    .where("kind", "=", key.kind)
    .where("principal", "=", key.principal)
    .where("server", "=", key.server)
    .where("issuer", "=", key.issuer)
    .where("version", "=", version)
    .$if(created_at !== undefined, (row) => row.where("created_at", "=", created_at ?? ""));

/** Leases a row for renewal; false if it has changed, or another one leases it. */
export async function leaseConnection(state: State, { key, owner, version }: RowLease): Promise<boolean> {
  const now = nowIn(state);
  const found = await inOwnTransaction(state, (db) =>
    db
      .updateTable("connections")
      .set({ lease_owner: owner, lease_until: sql<number>`${now} + ${sql.lit(RENEWAL_LEASE_MS)}` })
      .where("kind", "=", key.kind)
      .where("principal", "=", key.principal)
      .where("server", "=", key.server)
      .where("issuer", "=", key.issuer)
      .where("version", "=", version)
      .where((row) => row.or([row("lease_until", "is", null), row("lease_until", "<=", now)]))
      .returning("version")
      .executeTakeFirst(),
  );
  return found !== undefined;
}

/**
 * Stores what a lease was taken for, and ends it; false if the row has changed. A lease that has ended meanwhile does not
 * matter: tokens that were given for a refresh token are the only ones that count.
 */
export async function renewConnection(state: State, lease: RowLease, sealed: Sealed, now: number): Promise<boolean> {
  const changes = { ...sealed, version: lease.version + 1, lease_owner: null, lease_until: null, updated_at: iso(now) };
  const found = await inOwnTransaction(state, (db) =>
    unchanged(db, lease).set(changes).returning("version").executeTakeFirst(),
  );
  return found !== undefined;
}

/** Ends a lease without a change. */
export async function releaseConnection(state: State, lease: RowLease): Promise<void> {
  await inOwnTransaction(state, (db) => leased(db, lease).set({ lease_owner: null, lease_until: null }).execute());
}

/** Encrypts a row with another key, unless it has changed meanwhile. */
export async function resealConnection(
  state: State,
  key: ConnectionKey,
  version: number,
  sealed: Sealed,
): Promise<void> {
  await inOwnTransaction(state, (db) =>
    db
      .updateTable("connections")
      .set(sealed)
      .where("kind", "=", key.kind)
      .where("principal", "=", key.principal)
      .where("server", "=", key.server)
      .where("issuer", "=", key.issuer)
      .where("version", "=", version)
      .execute(),
  );
}

/** Deletes a connection; only in the given version, if there is one. Returns whether it was there. */
export const deleteConnection = async (state: State, key: ConnectionKey, version?: number): Promise<boolean> =>
  (await takeConnection(state, key, version)) !== undefined;

/** As {@link deleteConnection}; returns what was there. */
export const takeConnection = (
  state: State,
  key: ConnectionKey,
  version?: number,
): Promise<StoredConnection | undefined> =>
  inOwnTransaction(state, (db) => {
    const row = db
      .deleteFrom("connections")
      .where("kind", "=", key.kind)
      .where("principal", "=", key.principal)
      .where("server", "=", key.server)
      .where("issuer", "=", key.issuer);
    const one = version === undefined ? row : row.where("version", "=", version);
    return one.returning(COLUMNS).executeTakeFirst();
  });

/** The ids of the keys that encrypt rows, with the number of rows. */
export const keysInUse = (state: State): Promise<readonly { readonly key_id: string; readonly count: number }[]> =>
  read(state, async (db) => {
    const { count } = db.fn;
    const rows = await db
      .selectFrom("connections")
      .select(["key_id", count<number | string>("key_id").as("count")])
      .groupBy("key_id")
      .orderBy("key_id")
      .execute();
    return rows.map(({ key_id, count: many }) => ({ key_id, count: Number(many) }));
  });

/** Rows that are read of one key at most. */
const MAX_OF_KEY = 1000;

/** The rows that name a key, the latest first; at most {@link MAX_OF_KEY}. */
export const storedUnder = (state: State, id: string): Promise<readonly (ConnectionKey & Sealed)[]> =>
  read(state, (db) =>
    db
      .selectFrom("connections")
      .select(["kind", "principal", "server", "issuer", "body", "key_id"])
      .where("key_id", "=", id)
      .orderBy("updated_at", "desc")
      .limit(MAX_OF_KEY)
      .execute(),
  );

/** Connections that a list shows at most. */
export const MAX_LISTED = 10_000;

/** Lists connections without their content, of one principal or of all. */
export const listConnections = (state: State, principal?: string): Promise<readonly ListedConnection[]> =>
  read(state, (db) => {
    const rows = db
      .selectFrom("connections")
      .where("kind", "<>", "client")
      .select(["kind", "principal", "server", "issuer", "created_at", "updated_at"])
      .orderBy("server")
      .orderBy("principal")
      .orderBy("issuer")
      .limit(MAX_LISTED);
    return (principal === undefined ? rows : rows.where("principal", "=", principal)).execute();
  });
