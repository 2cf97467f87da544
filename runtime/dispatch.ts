/**
 * The only path to a handler, and the life of a call: exec, batch, run, the socket and the command line all call
 * `dispatch`, and nothing else calls a handler.
 *
 * A {@link Call} opens with what the transport gives. It gets a span, a time limit, and a caller with a live key. Then
 * {@link takeSteps} takes it through its steps, in order: each returns the call with what it found out. The answer is
 * made from the last of these and the result, or from the last of these and the failure.
 */

import { boundedBy, isKeyRefusal, requireLive, whileLive } from "./access/admission.js";
import { type Answered, answerFailure } from "./call/answer.js";
import { type Call, type Dispatch, failureAt, openCall } from "./call/call.js";
import { correctCall } from "./call/corrections/correct-call.js";
import { withSuggestion } from "./call/corrections/suggest-call.js";
import { readEnvelope } from "./call/envelope.js";
import { carryOutHooked } from "./call/hooked-call.js";
import { throughOutages } from "./call/outages.js";
import { checkArguments, readArguments, repairCall } from "./call/prepare.js";
import { authoriseProjects } from "./call/project-scope.js";
import { resolveOp } from "./call/resolve.js";
import { createServices, EVERYBODY, type GivenServices, type Services } from "./call/services.js";
import { type SpanEnd, shownArguments } from "./call/span.js";
import { stateWaitMs } from "./call/within-call.js";
import type { Project } from "./catalog/project.js";
import { rememberNewest } from "./catalog/session.js";
import { capabilitiesOf } from "./contract/capabilities.js";
import { isWaiting } from "./contract/envelope.js";
import type { Envelope } from "./contract/error-body.js";
import type { GatewayToolName } from "./contract/gateway-tools.js";
import { grantFor, isVisible } from "./contract/grant.js";
import type { ErrorCode, Grant } from "./contract/handler.js";
import { asRequest } from "./contract/request-fields.js";

/** Makes the dispatcher of a project. Nothing is opened or imported before a call needs it. */
export function createDispatch(project: Project, given: GivenServices): Dispatch {
  const services = createServices(project, given, (request, principal, span) =>
    dispatch.dispatch(request, principal, { span }),
  );
  const dispatch: Dispatch = {
    index: services.index,
    state: services.state.get,
    inSpan: services.inSpan,
    admit: (principal) => requireLive(services.keys, principal),
    async dispatch(request, principal, options = {}) {
      const call = openCall(services, request, principal, options);
      const { envelope } = await answerInSpan(call);
      options.answered?.(envelope);
      // Nothing of a preview is counted.
      if (options.run?.preview) return envelope;
      if (envelope.ok) count(services, principal.id, envelope.meta.executed_op ?? envelope.op);
      audit(call, envelope);
      return envelope;
    },
    correct: (request, { grant }, { references } = {}) => {
      const sent = asRequest(request) ?? {};
      const refused = { view: services.index.view(grant), sent, references, mayRepeat: true as const };
      return correctCall(services, refused).catch(() => undefined);
    },
  };
  return dispatch;
}

/** Callers whose uses are counted; the least recent caller is forgotten first. */
const MAX_CALLERS = 1000;

function count({ used }: Services, caller: string, op: string): void {
  for (const who of [caller, EVERYBODY]) {
    const counts = used.get(who) ?? new Map<string, number>();
    counts.set(op, (counts.get(op) ?? 0) + 1);
    rememberNewest(used, who, counts, MAX_CALLERS);
  }
}

/** Span name for an unknown op: names made up by callers would create an unlimited number of spans. */
const UNKNOWN: GatewayToolName = "tool_exec";

function answerInSpan(call: Call): Promise<Answered> {
  const { services, asked, traceId, principal, view, span: parent } = call;
  const start = { name: view.exact(asked)?.op ?? UNKNOWN, traceId, principal, parent };
  return services.inSpan(start, (span) => answer({ ...call, span }), spanEnd);
}

function spanEnd({ call: { tool, args }, envelope, failure }: Answered): SpanEnd {
  const { op, meta } = envelope;
  return {
    name: tool?.op ?? UNKNOWN,
    fields: shownArguments(tool, args),
    detail: () => ({ ...(op === tool?.op ? {} : { asked: op }), warnings: [...meta.warnings] }),
    ...(isWaiting(envelope) ? { isPaused: true } : { failure }),
  };
}

async function answer(call: Call): Promise<Answered> {
  try {
    return await throughOutages(call, (one) => whileAdmitted(one, takeSteps));
  } catch (error) {
    const { cause, call: reached } = failureAt(call, error);
    // A caller without a live key learns nothing about the op: the answer is made from the call as it was opened.
    if (isKeyRefusal(cause)) return answerFailure({ ...call, warnings: [] }, cause);
    return answerFailure(await withSuggestion(reached, cause), cause);
  }
}

/** Takes the call while its key is live; its signal aborts when the caller disconnects or the key ends. */
function whileAdmitted(call: Call, work: (call: Call) => Promise<Answered>): Promise<Answered> {
  const keys = boundedBy(call.services.keys, () => stateWaitMs(call));
  return whileLive(keys, call.principal, call.signal, (signal) =>
    work({ ...call, signal, admissionMs: performance.now() - call.arrived }),
  );
}

async function takeSteps(opened: Call): Promise<Answered> {
  let call = opened;
  const reached = <C extends Call>(next: C): C => {
    call = next;
    return next;
  };
  try {
    const read = reached(readEnvelope(opened)); //              op, arguments, dry_run, idempotency_key
    const resolved = reached(resolveOp(read)); //               the op, in the view of the caller: hidden ops are not found
    const given = reached(readArguments(resolved)); //          arguments as an object, references to earlier results replaced
    const repaired = reached(repairCall(given)); //             repairs, each with a warning
    const checked = reached(await checkArguments(repaired)); // dry run or not, defaults, schema, constraints
    await authoriseProjects(checked); //                        access to the projects of the objects that the arguments name
    const envelope = await carryOutHooked(checked); //          features of plugins, permission to write, dry run, idempotency key, handler
    return { call, envelope };
  } catch (error) {
    throw failureAt(call, error);
  }
}

const EVERYTHING: Grant = { level: "admin", projects: "*" };
const REFUSALS: ReadonlySet<ErrorCode> = new Set(["UNAUTHENTICATED", "PERMISSION_DENIED"]);

/** Audits refusals of callers with a credential, and calls of admin ops. */
function audit({ services, principal }: Call, { op: asked, meta, ...answer }: Envelope): void {
  const { id, grant } = principal;
  const tool = services.index.view(EVERYTHING).exact(meta.executed_op ?? asked);
  const code = "error" in answer ? answer.error.code : undefined;
  const isHidden = code === "NOT_FOUND" && tool && (!isVisible(tool, grant) || grantFor(tool, grant).projects !== "*");
  const { isAudited } = capabilitiesOf(principal);
  const isRefusal = isAudited && code !== undefined && (REFUSALS.has(code) || isHidden);
  if (!isRefusal && tool?.access !== "admin") return;
  const who = isAudited ? { keyId: id } : {};
  services.keys.audit({
    ...who,
    op: tool?.op ?? UNKNOWN,
    ...(code === undefined ? {} : { code }),
    traceId: meta.trace_id,
  });
}
