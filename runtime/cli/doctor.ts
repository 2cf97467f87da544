/** `toolwright doctor`: checks the project and its surroundings, and gives a remedy for each fault. */

import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isKeysUnreadable } from "../access/key-store.js";
import type { Project } from "../catalog/project.js";
import { secretPlaces } from "../config/secret-sources.js";
import { secretsOf } from "../config/secrets.js";
import { expandVariables } from "../config/settings.js";
import { stateDirectory } from "../config/state-directory.js";
import type { Bound } from "../contract/handler.js";
import { shortVersion } from "../contract/help.js";
import { counted, onLine } from "../contract/message-text.js";
import type { Tool } from "../contract/registry.js";
import { errorOf, messageOf } from "../contract/thrown.js";
import { generatedTools } from "../gateway/added-ops.js";
import { type CheckFinding, featureFindings } from "../gateway/doctor-part.js";
import { configurationFault, openUnchecked, type Start } from "../gateway/open-project.js";
import type { OpenedProject } from "../gateway/project.js";
import { settingWarnings } from "../gateway/setting-warnings.js";
import { loadSignIn } from "../gateway/sign-in-part.js";
import { expandServer } from "../upstream/servers.js";
import { APIS, addressFindings } from "./doctor-addresses.js";
import { connectionFindings } from "./doctor-connections.js";
import { databaseFindings } from "./doctor-database.js";
import { httpFindings } from "./doctor-http.js";

const OLDEST_NODE = [20, 19] as const;

/** What calls of the HTTP APIs of a project would be refused for. */
export async function refusedApis(start: Start): Promise<readonly CheckFinding[]> {
  return addressFindings(await openUnchecked(start), start.config);
}

/** Runs all checks; a failed one does not stop the others. */
export async function examine(start: Start): Promise<readonly CheckFinding[]> {
  const project = await openUnchecked(start).catch((error: unknown) => errorOf(error));
  const fault = await configurationFault(start);
  const isSame = project instanceof Error && project.message === fault;
  const generated: CheckFinding =
    project instanceof Error
      ? { what: "generated", ok: false, found: project.message, remedy: remedyFor(project) }
      : {
          what: "generated",
          ok: true,
          found: `${project.registry.tools.length} ops, registry ${shortVersion(project.registry.registry_version)}`,
        };
  const rest =
    project instanceof Error
      ? []
      : [
          await declaredOf(start, project),
          ...warnings(settingWarnings(start, project.registry, await loadSignIn(start))),
          await handlersOf(project),
          await validatorsOf(project),
          ...(await featureFindings(start.features ?? [], project)),
          ...(await addressFindings(project, start.config)),
          ...(await databaseFindings(project)),
          ...(await httpFindings(project.settings.http, project.root)),
          ...(await featureFindings(start.features ?? [], project, "http")),
        ];
  // That their variables are set says nothing of APIs whose addresses are refused.
  const isRefused = rest.some(({ what, ok }) => what === APIS && !ok);
  const variables = credentials(start).filter(({ ok }) => !ok || !isRefused);
  const others = [...variables, ...upstreamServers(start), ...(await connectionFindings(start))];
  return [
    nodeVersion(),
    ...(fault === undefined || isSame ? [] : [configFault(fault)]),
    generated,
    freshness(start),
    ...rest,
    ...others,
    await apiKeys(start),
    await folder(start.root),
    seam(start.root),
    await typeCheck(),
  ];
}

/** What `serve` would refuse, where the project is not generated, so that this is not said otherwise. */
const configFault = (fault: string): CheckFinding => ({
  ...{ what: "config", ok: false, found: onLine(fault), remedy: CONFIG_REMEDY },
});

const CONFIG_REMEDY = "correct definitions/toolwright.yaml as it says";
const remedyFor = ({ message }: Error): string =>
  message.includes("toolwright generate") ? "toolwright generate" : CONFIG_REMEDY;

/** Checks aliases, snippets and prompts; a fault in them prevents serving. */
async function declaredOf(start: Start, { registry }: Project): Promise<CheckFinding> {
  const faults = await start.faults(registry);
  const ok = faults.length === 0;
  const found = ok ? "aliases, snippets and prompts fit the registry" : faults.join("\n     ");
  return { what: "declared", ok, found, remedy: "correct them; where an op is new: toolwright generate" };
}

/** What is probably a mistake, and no fault: a pack may come later. */
function warnings(found: readonly string[]): readonly CheckFinding[] {
  if (found.length === 0) return [];
  return [
    { what: "warnings", ok: true, found: `${counted(found.length, "setting")} without effect`, needs_person: found },
  ];
}

function nodeVersion(): CheckFinding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return { what: "node", ok, found: process.versions.node, remedy: `install Node ${OLDEST_NODE.join(".")} or newer` };
}

function freshness(start: Start): CheckFinding {
  const stale = start.stale();
  const found =
    stale.length === 0 ? "not older than definitions/, as far as is known" : `older than ${stale.join(", ")}`;
  return { what: "fresh", ok: stale.length === 0, found, remedy: "toolwright generate" };
}

async function handlersOf(project: OpenedProject): Promise<CheckFinding> {
  const local = generatedTools(project).filter(({ source }) => source.kind === "local");
  try {
    const places = await Promise.all(local.map(async (one) => whereToBind(one, await project.handler(one.op))));
    const missing = local.flatMap(({ op }, i) => (places[i] === undefined ? [] : [[places[i], op] as const]));
    if (missing.length === 0) return { what: "handlers", ok: true, found: `${local.length} bound` };
    const found = `${local.length - missing.length} of ${local.length} bound; the others answer UNAVAILABLE`;
    return { what: "handlers", ok: true, found, needs_person: byPlace(missing) };
  } catch (error) {
    const found = messageOf(error);
    return { what: "handlers", ok: false, found, remedy: "correct the handlers file that toolwright.yaml names" };
  }
}

/** Where an op without a handler is bound; undefined for one that has a handler. */
function whereToBind({ source }: Tool, bound: Bound<never, unknown> | undefined): string | undefined {
  if (bound === undefined) return `add "handlers: <file>" to the source of ${source.file}, and bind there`;
  return "unbound" in bound ? `bind in ${String(bound.unbound)}` : undefined;
}

/** A line for each place and each path above the ops: `bind in definitions/handlers.ts: onto.task: create, list`. */
function byPlace(missing: readonly (readonly [place: string, op: string])[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const [place, op] of missing) {
    const cut = op.lastIndexOf(".");
    const group = `${place}: ${op.slice(0, cut)}`;
    groups.set(group, [...(groups.get(group) ?? []), op.slice(cut + 1)]);
  }
  return [...groups].map(([group, names]) => onLine(`${group}: ${names.join(", ")}`)).sort();
}

async function validatorsOf(project: Project): Promise<CheckFinding> {
  try {
    const packs = await Promise.all(project.registry.packs.map((one) => project.validators(one.name)));
    return { what: "validators", ok: true, found: `${packs.reduce((sum, one) => sum + one.size, 0)} loaded` };
  } catch (error) {
    return {
      what: "validators",
      ok: false,
      found: messageOf(error),
      remedy: "toolwright generate",
    };
  }
}

/** Checks the variables of HTTP APIs; calls with an unset one answer UNAVAILABLE. Nothing without such an API. */
function credentials({ root, config }: Start): readonly CheckFinding[] {
  const apis = config.sources.filter((one) => (one.openapi ?? one.graphql) !== undefined);
  if (apis.length === 0) return [];
  const remedy = `set them ${secretPlaces(config.secrets)}`;
  try {
    const missing: string[] = [];
    const lookup = secretsOf(root, config.secrets);
    for (const { server = "", url = "", auth = {} } of apis) {
      const { bearer = "", basic = "", headers = {}, query = {} } = auth;
      for (const text of [server, url, bearer, basic, ...Object.values(headers), ...Object.values(query)])
        expandVariables(text, lookup, missing);
    }
    const unset = [...new Set(missing)];
    const all = `${apis.length} HTTP ${apis.length === 1 ? "API" : "APIs"}`;
    const found = unset.length === 0 ? `the variables of ${all} are set` : `${all}; not set: ${unset.join(", ")}`;
    return [{ what: APIS, ok: unset.length === 0, found, remedy }];
  } catch (error) {
    return [{ what: APIS, ok: false, found: messageOf(error), remedy }];
  }
}

/** Checks that upstream servers are configured correctly and have a snapshot; none is started. */
function upstreamServers({ root, config }: Start): readonly CheckFinding[] {
  const enabled = Object.entries(config.servers ?? {}).filter(([, { enabled = true }]) => enabled);
  const lookup = secretsOf(root, config.secrets);
  const faults = enabled.flatMap(([name, entry]): readonly CheckFinding[] => {
    const server = expandServer(name, entry, lookup);
    if ("reason" in server)
      return [
        { what: "servers", ok: false, found: onLine(`${name}: ${server.reason}`), remedy: onLine(server.remedy) },
      ];
    const file = `definitions/servers/${name}.json`;
    if (existsSync(join(root, file))) return [];
    const remedy = `toolwright snapshot ${name}${entry.auth?.mode === "token_exchange" ? " --token < token" : ""}`;
    return [{ what: "servers", ok: false, found: `${name}: there is no ${file}`, remedy }];
  });
  const sound = enabled.length - faults.length;
  return enabled.length === 0
    ? []
    : [{ what: "servers", ok: true, found: `${sound} of ${enabled.length} can be used` }, ...faults];
}

const SOON_MS = 7 * 86_400_000;

async function apiKeys(start: Start): Promise<CheckFinding> {
  try {
    const { keysOf } = await import("./keys.js");
    const keys = keysOf(start);
    const live = await keys.list().finally(() => keys.close());
    const soon = live.filter((one) => one.expires_at !== null && Date.parse(one.expires_at) - Date.now() < SOON_MS);
    const expiring =
      soon.length === 0 ? "" : `, ${soon.length} expire within 7 days: ${soon.map((one) => one.key_id).join(", ")}`;
    return { what: "keys", ok: true, found: live.length === 0 ? "none" : `${live.length} live${expiring}` };
  } catch (error) {
    const found = onLine(messageOf(error));
    const remedy = isKeysUnreadable(error) ? error.remedy : "check `state` in toolwright.yaml and TOOLWRIGHT_STATE";
    return { what: "keys", ok: false, found, remedy };
  }
}

async function folder(root: string): Promise<CheckFinding> {
  try {
    const home = await stateDirectory(root);
    await access(home, constants.W_OK);
    return { what: "folder", ok: true, found: ".onetool/ is writable" };
  } catch {
    return {
      what: "folder",
      ok: false,
      found: ".onetool/ cannot be written",
      remedy: "give the user that runs toolwright write access to the project folder",
    };
  }
}

/** Checks that handlers in TypeScript can import `toolwright/codegen` from an installed package. */
function seam(root: string): CheckFinding {
  try {
    createRequire(`${root}/package.json`).resolve("toolwright/package.json");
    return { what: "package", ok: true, found: "toolwright/codegen resolves from the project" };
  } catch {
    return {
      what: "package",
      ok: true,
      found: "toolwright is not installed in the project; only handlers of its own need that",
    };
  }
}

/** Whether types of programs are checked: their checker is an optional package. */
async function typeCheck(): Promise<CheckFinding> {
  const { createTypeChecker } = await import("../run/languages/python/engine/type-checker.js");
  const checker = createTypeChecker();
  const found = await checker.check("", "", CHECK_MS).finally(() => checker.close());
  return {
    what: "type check",
    ok: true,
    found: found ? "installed" : checker.isMissing() ? NOT_INSTALLED : "no answer",
  };
}

/** Time limit of the check that tells, which starts a process. */
const CHECK_MS = 30_000;
const NOT_INSTALLED = "not installed; npm install @pydantic/monty adds it";
