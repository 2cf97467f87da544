/** Checks of `toolwright doctor` on the addresses of HTTP APIs: those that calls would refuse. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Project } from "../catalog/project.js";
import type { RuntimeConfig } from "../config/settings.js";
import { isToolFailure } from "../contract/handler.js";
import type { HttpCall } from "../contract/http-call.js";
import { onLine } from "../contract/message-text.js";
import type { CheckFinding } from "../gateway/doctor-part.js";
import { checkAddress } from "../http-client/check-address.js";
import { checkHost } from "../http-client/guard.js";

/** What findings about HTTP APIs are about. */
export const APIS = "apis";

/** The addresses that descriptions name, and that are not public: calls say of them what these findings say. */
export async function addressFindings(
  { root, registry, settings }: Pick<Project, "root" | "registry" | "settings">,
  { sources }: RuntimeConfig,
): Promise<readonly CheckFinding[]> {
  const packs = new Set(registry.tools.filter(({ source }) => source.kind === "http").map(({ group }) => group));
  const calls = (await Promise.all([...packs].map((pack) => callsOf(root, pack)))).flat();
  // An address that the configuration names is permitted by that.
  const isNamed = (call: HttpCall): boolean =>
    sources.some(({ openapi, graphql, server, url }) =>
      call.graphql ? graphql === call.source && url !== undefined : openapi === call.source && server !== undefined,
    );
  const servers = new Set(calls.flatMap((call) => (call.server === undefined || isNamed(call) ? [] : [call.server])));
  const { allowPrivate } = settings.web;
  const findings = [...servers]
    .filter((text) => URL.canParse(text))
    .map((text) => findingOf(new URL(text), allowPrivate));
  return (await Promise.all(findings)).flat();
}

async function callsOf(root: string, pack: string): Promise<readonly HttpCall[]> {
  const text = await readFile(join(root, "generated", "http", `${pack}.json`), "utf8").catch(() => "{}");
  return Object.values(JSON.parse(text) as Readonly<Record<string, HttpCall>>);
}

/** Nothing for a host that is public, or cannot be resolved now. */
async function findingOf(url: URL, allowPrivate: readonly string[]): Promise<readonly CheckFinding[]> {
  try {
    await checkAddress(url, (one) => checkHost(one, { allowPrivate }));
    return [];
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    const { reason } = (error.details ?? {}) as { readonly reason?: unknown };
    if (typeof reason === "string") return [];
    const [found = "", remedy = ""] = error.message.replace(/\.$/, "").split(/: (?=name the API)/);
    return [{ what: APIS, ok: false, found: onLine(found), remedy: onLine(remedy) }];
  }
}
