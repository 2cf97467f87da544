/** Compares where calls of a tool go and what goes along, what the API demands for them, and what it says of their future. */

import { escapePointer } from "../../runtime/contract/json-pointer.js";
import { NO_SECURITY, type Tool, type ToolRequest } from "../../runtime/contract/registry.js";
import type { BreakingRule } from "./breaking-rules.js";
import type { DetectedChange } from "./finding.js";

/**
 * Whether a registry says where calls of the tool go. Those of earlier versions do not, and say nothing of its future either: a comparison
 * with them finds nothing here.
 */
export const isRecorded = ({ source, request }: Tool): boolean => request !== undefined || source.kind === "local";

type Compare = (before: ToolRequest, after: ToolRequest) => readonly DetectedChange[];

/** No request: the handler is in the project. */
const LOCAL: ToolRequest = { send: "" };

/** All changes of the request of a tool. */
export function compareRequest(before: Tool, after: Tool): readonly DetectedChange[] {
  if (!isRecorded(before) || !isRecorded(after)) return [];
  const [old, now] = [before.request ?? LOCAL, after.request ?? LOCAL];
  return [
    ...(now === LOCAL ? [] : COMPARISONS.flatMap((compare) => compare(old, now))),
    ...argumentsOf(before, after),
    ...lifecycleOf(before, after),
  ];
}

/** An address in parts; a command has a program only. */
interface Address {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly program: string;
}

const ADDRESS = /^(?:([A-Z]+) )?([a-z][a-z0-9+.-]*:\/\/[^/?#]*|\$\{[^}]*\}|)((?:[/?#].*)?)$/is;

function addressOf(send: string): Address {
  const [whole, method = "", origin = "", path = ""] = ADDRESS.exec(send) ?? [];
  if (whole === undefined) return { method: "", origin: "", path: "", program: send };
  return { method, origin: origin.toLowerCase().replace(/^(https:.*):443$|^(http:.*):80$/, "$1$2"), path, program: "" };
}

const compareAddress: Compare = ({ send: before }, now) => {
  const [old, is] = [addressOf(before), addressOf(now.send)];
  if (is.program !== "") return before === now.send ? [] : programChanged(before, now);
  const isOther = old.origin !== is.origin;
  return [
    ...(isOther
      ? [
          {
            rule: "request-host-changed",
            before: old.program || old.origin,
            after: is.origin,
            more: alongWith(now),
          } as const,
        ]
      : []),
    ...(before === "" || old.program !== ""
      ? []
      : [...changed("request-path-changed", old.path, is.path), ...methodChanged(old, is)]),
  ];
};

/** What is given to a host or a program: a reader has to know before it happens. */
function alongWith({ auth = [] }: ToolRequest): string {
  return auth.length === 0 ? "; no credential goes along" : `; it gets ${auth.join(", ")}`;
}

/** `@scope/name@1.2.3` without its version. */
const withoutVersion = (command: string): string =>
  command.replace(/(^|\s)((?:@[^\s/@]+\/)?[^\s/@]+)@[^\s@/]+(?=\s|$)/g, "$1$2");

function programChanged(before: string, now: ToolRequest): readonly DetectedChange[] {
  const isVersion = withoutVersion(before) === withoutVersion(now.send);
  const facts = { before, after: now.send, more: alongWith(now) };
  return [{ rule: "request-program-changed", ...facts, ...(isVersion ? { level: "warning" } : {}) }];
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** A request that only read may change something now. */
function methodChanged({ method: before }: Address, { method: after }: Address): readonly DetectedChange[] {
  const acts = SAFE.has(before) && !SAFE.has(after);
  return changed("request-method-changed", before, after).map((one) => (acts ? { ...one, level: "error" } : one));
}

const changed = (rule: BreakingRule, before = "", after = ""): readonly DetectedChange[] =>
  before === after ? [] : [{ rule, before, after }];

/** Credentials for the same host; where it is another one, that finding names them. */
const compareAuth: Compare = (before, after) => {
  const listed = ({ auth = [] }: ToolRequest): string => [...auth].sort().join(", ");
  return before === LOCAL ? [] : changed("request-auth-changed", listed(before), listed(after));
};

const compareMedia: Compare = (before, after) =>
  before === LOCAL
    ? []
    : [
        ...changed("request-body-changed", before.body, after.body),
        ...changed("request-accept-changed", before.accept ?? "JSON", after.accept ?? "JSON"),
      ];

/** Schemes with their scopes. */
type Demand = ReadonlyMap<string, ReadonlySet<string>>;

const demandsOf = ({ security = [] }: ToolRequest): readonly Demand[] =>
  (security.length === 0 ? [NO_SECURITY] : security).map((one) => {
    const schemes = one === NO_SECURITY ? [] : one.split(" + ");
    return new Map(
      schemes.map((scheme) => {
        const [name = "", scopes = ""] = scheme.split(": ");
        return [name, new Set(scopes.split(" ").filter((scope) => scope !== ""))] as const;
      }),
    );
  });

/** Whether who has the credentials of one alternative meets another. */
const meets = (held: Demand, wanted: Demand): boolean =>
  [...wanted].every(([name, scopes]) => [...scopes].every((one) => held.get(name)?.has(one)) && held.has(name));

const compareSecurity: Compare = (before, after) => {
  const [old, now] = [demandsOf(before), demandsOf(after)];
  const texts = [before, after].map(({ security = [] }) => security.join(" or "));
  if (texts[0] === texts[1]) return [];
  const isOpen = (all: readonly Demand[]): boolean => all.some((one) => one.size === 0);
  const isKept = old.every((held) => now.some((wanted) => meets(held, wanted)));
  const rule = isKept ? "security-narrowed" : isOpen(old) ? "security-added" : "security-widened";
  return changed(rule, texts[0], texts[1]);
};

const compareAnswers: Compare = (before, after) => {
  const byCode = ({ answers = [] }: ToolRequest): ReadonlyMap<string, string> =>
    new Map(answers.map((one) => [one.split(" ")[0] ?? "", one]));
  const [old, now] = [byCode(before), byCode(after)];
  return [
    ...[...now].flatMap(([code, text]): readonly DetectedChange[] => {
      if (!old.has(code)) return [{ rule: "result-answer-added", after: code }];
      return old.get(code) === text ? [] : [{ rule: "result-answer-changed", after: code }];
    }),
    ...[...old.keys()]
      .filter((code) => !now.has(code))
      .map((code): DetectedChange => ({ rule: "result-answer-removed", before: code })),
  ];
};

const COMPARISONS: readonly Compare[] = [compareAddress, compareAuth, compareMedia, compareSecurity, compareAnswers];

/** How arguments of both sides are sent. Where one side has no entry, the argument is where it usually is. */
function argumentsOf(before: Tool, after: Tool): readonly DetectedChange[] {
  if (!before.request || !after.request) return [];
  const known = new Set(before.parameters.map((one) => one.original));
  const names = after.parameters.map((one) => one.original).filter((name) => known.has(name));
  const textOf = ({ args = {}, send, body }: ToolRequest, name: string): string => {
    if (Object.hasOwn(args, name)) return args[name] ?? "";
    return send.includes(`{${name}}`) ? "path" : body === undefined ? "query" : "body";
  };
  return names.flatMap((name) => {
    const [old, now] = [before, after].map(({ request }) => textOf(request ?? LOCAL, name));
    const at = { at: name, pointer: `/properties/${escapePointer(name)}` };
    return changed("request-argument-changed", old, now).map((one) => ({ ...one, ...at }));
  });
}

/** Stages, from the least to the most stable one; an op without one is stable. */
const STAGES = ["draft", "alpha", "beta", "stable"];

function lifecycleOf({ lifecycle: old = {} }: Tool, { lifecycle: now = {} }: Tool): readonly DetectedChange[] {
  const facts = { at: "the op" };
  const found: DetectedChange[] = [];
  if (old.deprecated !== now.deprecated)
    found.push({ rule: now.deprecated ? "deprecated-added" : "deprecated-removed", ...facts });
  if (old.sunset !== now.sunset) {
    const isSooner = old.sunset !== undefined && now.sunset !== undefined && now.sunset < old.sunset;
    const rule = isSooner ? "sunset-sooner" : old.sunset === undefined ? "sunset-added" : "sunset-later";
    found.push({ rule, before: old.sunset ?? "", after: now.sunset ?? "", ...facts });
  }
  return [...found, ...stabilityChanged(old.stability ?? "stable", now.stability ?? "stable")];
}

function stabilityChanged(before: string, after: string): readonly DetectedChange[] {
  const [old, now] = [before, after].map((one) => STAGES.indexOf(one)) as [number, number];
  if (old < 0 || now < 0)
    return changed("stability-lowered", before, after).map((one) => ({ ...one, level: "warning" }));
  return changed(now < old ? "stability-lowered" : "stability-raised", before, after);
}
