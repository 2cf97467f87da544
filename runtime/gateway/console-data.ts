/** Console data besides the ops: recent calls, servers, logins, and what features have. */

import type { KeyCheck } from "../access/admission.js";
import { createLogins, type Logins } from "../access/console-logins.js";
import { mayAdminister } from "../access/principal.js";
import type {
  ConfigChange,
  ConfigEditor,
  ConfigPreview,
  ConfigView,
  ConfigWritten,
} from "../contract/config-change.js";
import { fail, type Logger, type Principal } from "../contract/handler.js";
import { hint } from "../contract/own-command.js";
import type { Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { readableSignature } from "../contract/signature-text.js";
import { snippetSummary } from "../contract/snippet.js";
import { messageOf } from "../contract/thrown.js";
import type { Host } from "../packs/host.js";
import type { SearchEntry } from "../packs/ot/search.js";
import { type KnownServer, seenServers } from "../packs/ot/state.js";
import { withinAtMost } from "../state/deadline.js";
import type { State } from "../state/open.js";
import type { RefusedTool } from "../upstream/lock.js";
import { readDrifts, type ShownDrift } from "../upstream/snapshot-jobs.js";
import type { ServerFault } from "../upstream/standing.js";
import type { Upstreams } from "../upstream/upstreams.js";
import { type ConsoleApprovals, consoleApprovals } from "./console-approvals.js";
import type { ProjectConnections } from "./project-connections.js";
import type { RecentCalls, SharedCalls } from "./shared-calls.js";

/** A server as the console shows it. */
export interface SeenServer {
  readonly name: string;
  readonly state: string;
  /** How many of its tools the caller may use. */
  readonly tools: number;
  /** The version that it says it has; absent while it is not connected. */
  readonly version?: string;
  /** Where it is, without secrets; for owners only. */
  readonly address?: string;
  /** Whether it is not connected because a person has to sign in. */
  readonly sign_in: boolean;
  /** Why it is not connected, and the remedy. */
  readonly error?: string;
  readonly remedy?: string;
  readonly retry_ms?: number;
  /** The last failure of its process or connection, also where it is connected again; for owners only. */
  readonly fault?: SeenFault;
  /** Tools refused by the lock, since they differ from the snapshot. */
  readonly refused: readonly RefusedTool[];
  /** What the latest reading of `snapshot.every` found; absent before the first one, and for callers without its tools. */
  readonly drift?: ShownDrift;
}

/** A failure of a server. */
export interface SeenFault {
  readonly message: string;
  /** In ms since the epoch. */
  readonly at: number;
  /** The last lines of its standard error, without secrets and control characters; empty for a server over HTTP. */
  readonly stderr: readonly string[];
}

/** What a search finds. */
export interface Found {
  readonly kind: "op" | "pack" | "snippet" | "alias";
  /** The path of an op, or the name of something else. */
  readonly name: string;
  /** What it does, or what an alias stands for. */
  readonly about: string;
  /** The op of an alias, too. */
  readonly op?: string;
  /** Of an op, by language; that of Python is valid Python. */
  readonly signature?: Tool["signature"];
}

/** One way in which a client reaches the tools. */
export interface ClientWay {
  /** `http`: the running server. `stdio`: one that the client starts. */
  readonly over: "http" | "stdio";
  /** The entry, as the whole text of the client's file. */
  readonly text: string;
  /** The command that writes it. */
  readonly command: string;
}

/** How one client is connected. */
export interface ClientEntries {
  readonly id: string;
  readonly label: string;
  readonly format: "json" | "toml";
  /** The file that takes the entry; absent for a client that is not known. */
  readonly file?: string;
  readonly ways: readonly ClientWay[];
}

/**
 * Answers a page of the console with data of a feature, or says why there is none.
 *
 * @param address - of the request
 */
export type ConsoleAnswer = (
  query: Readonly<Record<string, string>>,
  principal: Principal,
  address: URL,
) => Promise<{ readonly value: object } | { readonly status: 400 | 404; readonly refused: string }>;

/** Names of callers by their ids; ids without a name are left out. */
export type NamesById = Readonly<Record<string, string>>;

/** What the console takes from the command line. */
export interface ConsoleParts {
  /** The command line, which clients can start. */
  readonly launcher: string;
  /** Edits the configuration. */
  editor(): Promise<ConfigEditor>;
}

/** The configuration for those who may change it. Each method throws ToolFailure PERMISSION_DENIED for others, UNAVAILABLE without a command line. */
export interface ConsoleConfig {
  view(principal: Principal): Promise<ConfigView>;
  preview(change: ConfigChange, principal: Principal): Promise<ConfigPreview>;
  /** Writes a change, generates, and serves the result. */
  write(change: ConfigChange, digest: string, principal: Principal): Promise<ConfigWritten>;
}

/** The console data of a project. */
export interface ConsoleData {
  readonly logins: Logins;
  /** Sign-ins at servers and APIs; absent if no connection is configured. */
  readonly signIns?: ProjectConnections["signIns"] | undefined;
  /** What `ot.help` finds for a query, best first. */
  search(query: string, principal: Principal): Promise<readonly Found[]>;
  /** Data of features, by its name behind `/api/`. */
  readonly added: Readonly<Record<string, ConsoleAnswer>>;
  /** The caller's recent calls with their spans, of all servers that share the database; all calls for the machine's owner and admins. */
  calls(limit: number, principal: Principal): Promise<RecentCalls>;
  servers(principal: Principal): Promise<readonly SeenServer[]>;
  /**
   * Connects a server again.
   *
   * @returns why it is not connected; undefined if it is
   * @throws ToolFailure PERMISSION_DENIED for callers other than the owner of the machine and admins, NOT_FOUND
   */
  restart(name: string, principal: Principal): Promise<string | undefined>;
  readonly approvals: ConsoleApprovals;
  /** The names that people have who signed in, by their ids; the console works without them, too. */
  names(ids: Iterable<string>): Promise<NamesById>;
  readonly config: ConsoleConfig;
}

/** Dependencies of the console data. */
export interface ConsoleDataParts {
  readonly host: Host;
  readonly upstreams: Upstreams | undefined;
  readonly calls: Pick<SharedCalls, "find">;
  readonly state: () => Promise<State>;
  readonly keys: KeyCheck;
  readonly clock: () => number;
  /** Longest wait of a login query for the state database. */
  readonly limitMs: number;
  /** Absent in a gateway of a program. */
  readonly console?: ConsoleParts | undefined;
  /** Serves what was generated anew; answers `OK: …` or `Error: …`. */
  readonly reload?: (() => Promise<string>) | undefined;
  readonly log: Logger;
  readonly signIns: ConsoleData["signIns"];
  readonly added: ConsoleData["added"];
  /** Finds names of callers; absent without a feature that has them. */
  readonly callerNames: ((ids: Iterable<string>) => Promise<NamesById>) | undefined;
}

/** Creates the console data. Nothing is opened before it is requested. */
export function createConsoleData(given: ConsoleDataParts): ConsoleData {
  const { host, upstreams, calls, state, keys, clock, limitMs } = given;
  const ofCaller = (principal: Principal) => (mayAdminister(principal) ? {} : { caller: principal.id });
  return {
    logins: createLogins({ state, keys, clock, limitMs }),
    signIns: given.signIns,
    added: given.added,
    async search(query, principal) {
      const words = query.trim().replace(/^\$/, "");
      if (words === "") return [];
      const [{ catalogueOf }, { inOneOrder, searchOf }] = await Promise.all([
        import("../packs/ot/catalogue.js"),
        import("../packs/ot/search.js"),
      ]);
      const search = searchOf(await catalogueOf({ host, principal }));
      return inOneOrder(search(words, MAX_FOUND)).slice(0, MAX_FOUND).map(foundOf);
    },
    calls: (limit, principal) => calls.find(limit, ofCaller(principal).caller),
    async servers(principal) {
      const drifts = await driftsIn(given);
      return seenServers({ host, principal }).map((one) => serverOf({ host, upstreams, drifts }, principal, one));
    },
    async restart(name, principal) {
      if (!mayAdminister(principal))
        fail("PERMISSION_DENIED", "Only the owner of the machine and admins restart a server.");
      try {
        if (await upstreams?.restart(name)) return undefined;
      } catch (error) {
        return messageOf(error);
      }
      return fail("NOT_FOUND", `There is no server ${JSON.stringify(name)}.`);
    },
    approvals: consoleApprovals({
      ...{ state, clock, keys: host.keys, mayOwn: host.project.settings.ownApprovals },
      rules: host.project.settings.approvals,
      toolOf: (op, principal) => host.view(principal).exact(op),
    }),
    names: (ids) => namesIn(given, ids),
    config: configOf(given),
  };
}

function configOf({ host, console: parts, reload, log }: ConsoleDataParts): ConsoleConfig {
  const editorFor = async (principal: Principal): Promise<ConfigEditor> => {
    if (!mayAdminister(principal))
      fail("PERMISSION_DENIED", "Only the owner of the machine and admins change the configuration.");
    if (!principal.allowWrite)
      fail(
        "PERMISSION_DENIED",
        `Writes are off: start the server with --allow-write${hint(", or set access.allow_write", "")}.`,
      );
    return parts?.editor() ?? fail("UNAVAILABLE", "The server was started by a program, which configures it.");
  };
  const { registry } = host.project;
  return {
    view: async (principal) => (await editorFor(principal)).view(registry),
    preview: async (change, principal) => (await editorFor(principal)).preview(change, registry),
    async write(change, digest, principal) {
      const written = await (await editorFor(principal)).write(change, digest, registry);
      if (!written.ok) return written;
      log.info("configuration changed", { by: principal.id, change: JSON.stringify(change) });
      const answer = (await reload?.()) ?? "OK";
      if (answer.startsWith("OK")) return written;
      return { ok: false, stale: false, faults: [`written and generated, but not served: ${answer}`] };
    },
  };
}

/** The names of some callers. */
const namesIn = ({ callerNames, limitMs, log }: ConsoleDataParts, ids: Iterable<string>): Promise<NamesById> =>
  withinAtMost(limitMs, async () => callerNames?.(ids) ?? {}).catch((error: unknown) => {
    log.debug("names of users are not known", { error: messageOf(error) });
    return {};
  });

/** What the readings of servers found; the console works without it, too. */
async function driftsIn({
  upstreams,
  state,
  limitMs,
  log,
}: ConsoleDataParts): Promise<ReadonlyMap<string, ShownDrift>> {
  if (!upstreams) return new Map();
  return withinAtMost(limitMs, async () => readDrifts(await state())).catch((error: unknown) => {
    log.debug("readings of servers are not known", { error: messageOf(error) });
    return new Map();
  });
}

function serverOf(
  {
    host,
    upstreams,
    drifts,
  }: Pick<ConsoleDataParts, "host" | "upstreams"> & { readonly drifts: ReadonlyMap<string, ShownDrift> },
  principal: Principal,
  { name, state, tools: own }: KnownServer,
): SeenServer {
  const { error, retryMs } = upstreams?.states().get(name) ?? {};
  const identity = upstreams?.identities().get(name);
  const view = host.view(principal);
  const address = mayAdminister(principal) ? identity?.address : undefined;
  // Details are shown only to owners and to callers of the server's ops.
  const tells = mayAdminister(principal) || own.length > 0;
  const drift = tells ? drifts.get(name) : undefined;
  // Its lines may name files of the machine, and what other callers have sent.
  const fault = mayAdminister(principal) ? upstreams?.faults().get(name) : undefined;
  return {
    name,
    state,
    tools: own.filter(({ op }) => view.isListed(op)).length,
    ...(identity?.version === undefined ? {} : { version: identity.version }),
    ...(address ? { address } : {}),
    sign_in: error?.code === "UNAUTHENTICATED",
    ...(error && tells ? { error: error.message, remedy: error.remedy } : {}),
    ...(retryMs === undefined ? {} : { retry_ms: retryMs }),
    ...(fault ? { fault: seenFault(fault) } : {}),
    ...(drift ? { drift } : {}),
    refused: (upstreams?.refused().get(name) ?? []).filter(({ op }) => view.exact(op) !== undefined),
  };
}

const seenFault = ({ error: { message, stderr }, at }: ServerFault): SeenFault => ({ message, at, stderr });

/** Most entries that a search returns. */
const MAX_FOUND = 30;
/** Longest text about an entry, in characters. */
const MAX_ABOUT_LENGTH = 200;

const about = (text: string): string => clip(text, MAX_ABOUT_LENGTH);

function foundOf(entry: SearchEntry): Found {
  const { kind, name } = entry;
  switch (kind) {
    case "tool":
      return {
        ...{ kind: "op", name, about: about(entry.tool.summary), op: name },
        signature: { ...entry.tool.signature, python: readableSignature(entry.tool) },
      };
    case "pack":
      return { kind, name, about: about(entry.pack.summary) };
    case "snippet":
      return { kind, name: `$${name}`, about: about(snippetSummary(entry.snippet)) };
    case "alias":
      return { kind, name, about: `alias of ${entry.alias.target}`, op: entry.alias.tool.op };
  }
}
