/** The databases that the state and backend suites run on: always SQLite, PostgreSQL where `TOOLWRIGHT_TEST_POSTGRES` is a URL. */

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openState, type State } from "../../../runtime/state/open.js";

/** A fresh place for state; several connections may be opened on it. */
export interface Place {
  readonly root: string;
  readonly url: string;
  open(): Promise<State>;
  remove(): Promise<void>;
}

/** One database to test on. */
export interface TestDatabase {
  readonly name: string;
  /** Whether it cannot be tested here; the name says why. */
  readonly skip: boolean;
  place(): Promise<Place>;
}

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), "toolwright-state-"));

async function sqlitePlace(): Promise<Place> {
  const root = await folder();
  const url = "";
  return { root, url, open: () => openState({ url, root }), remove: () => rm(root, { recursive: true, force: true }) };
}

const SERVER = process.env["TOOLWRIGHT_TEST_POSTGRES"] ?? "";

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(SERVER);
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** A schema of its own, named in the URL, so that suites do not meet. */
async function postgresPlace(): Promise<Place> {
  const root = await folder();
  const schema = `t_${randomBytes(8).toString("hex")}`;
  await onServer(`create schema ${schema}`);
  const url = new URL(SERVER);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return {
    root,
    url: url.href,
    open: () => openState({ url: url.href, root }),
    async remove() {
      await onServer(`drop schema ${schema} cascade`);
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Both databases. */
export const DATABASES: readonly TestDatabase[] = [
  { name: "SQLite", skip: false, place: sqlitePlace },
  {
    name: SERVER === "" ? "PostgreSQL (skipped: TOOLWRIGHT_TEST_POSTGRES is no URL)" : "PostgreSQL",
    skip: SERVER === "",
    place: postgresPlace,
  },
];
