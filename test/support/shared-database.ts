/** A schema of its own in the PostgreSQL that tests share, or a separate cluster. */

import { randomBytes } from "node:crypto";
import pg from "pg";
import { NO_CLUSTER, startCluster } from "./databases/postgres-cluster.js";

const SERVER = process.env["TOOLWRIGHT_TEST_POSTGRES"] ?? "";

/** Why there is no PostgreSQL for tests; empty if there is one. */
export const NO_DATABASE = SERVER === "" ? NO_CLUSTER : "";

/** The URL of a database for one test, removed after the test. */
export async function startSharedDatabase(later: (clean: () => Promise<void> | void) => void): Promise<URL> {
  if (SERVER === "") return new URL((await startCluster(later)).url);
  const schema = `t_${randomBytes(8).toString("hex")}`;
  const statement = async (text: string): Promise<void> => {
    const client = new pg.Client(SERVER);
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await statement(`create schema ${schema}`);
  later(() => statement(`drop schema ${schema} cascade`));
  const url = new URL(SERVER);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url;
}
