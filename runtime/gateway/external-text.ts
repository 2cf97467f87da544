/**
 * Answers of transports that hold text from elsewhere: `meta.external` of their envelope says so, and their texts are
 * redacted. Programs get texts as they are; the answer of `run` is marked as a whole.
 */

import type { createBatch } from "../call/batch/batch.js";
import type { EntryResult } from "../call/batch/entry.js";
import type { CallOptions, CallRecord, Dispatch } from "../call/call.js";
import type { ContentBlock } from "../call/client-access.js";
import type { Envelope, ErrorBody } from "../contract/error-body.js";
import { isObject } from "../contract/json.js";
import { newRecord } from "../run/pack-proxy.js";
import { foreignSources, redactedTexts } from "../run/sanitize.js";

type Batch = ReturnType<typeof createBatch>["batch"];

/** Says in each envelope whether it holds text from elsewhere: a failure before the op was carried out has none. */
export function tellingExternal<D extends Pick<Dispatch, "dispatch">>(
  dispatch: D,
  sanitizes: (op: string) => boolean,
): D {
  return {
    ...dispatch,
    async dispatch(request, principal, options) {
      const record = newRecord();
      return told(await dispatch.dispatch(request, principal, { ...options, record }), record, sanitizes);
    },
  };
}

function told(envelope: Envelope, record: CallRecord, sanitizes: (op: string) => boolean): Envelope {
  const { executed_op: op = envelope.op } = envelope.meta;
  const isExternal = (envelope.ok && sanitizes(op)) || foreignSources(record, sanitizes).length > 0;
  return isExternal ? { ...envelope, meta: { ...envelope.meta, external: true } } : envelope;
}

/** Makes one call, says whether its answer holds text from elsewhere, and redacts it then. */
export function redactingDispatch(
  { dispatch }: Pick<Dispatch, "dispatch">,
  sanitizes: (op: string) => boolean,
): Dispatch["dispatch"] {
  return async (request, principal, options) => {
    const [held, record] = [holding(options), newRecord()];
    const envelope = told(await dispatch(request, principal, { ...held.options, record }), record, sanitizes);
    const { external = false } = envelope.meta;
    held.release(external);
    return external ? redactedAnswer(envelope) : envelope;
  };
}

/** Makes a batch, and redacts those of its answers that hold text from elsewhere. */
export function redactingBatch(batch: Batch): Batch {
  return async (request, principal, options) => {
    const held = holding(options);
    const made = await batch(request, principal, held.options);
    const results = "results" in made ? made.results : [];
    const external = results.some(isExternal);
    held.release(external);
    if (!external || !("results" in made)) return made;
    return { ...made, results: results.map((one) => (isExternal(one) ? redactedAnswer(one) : one)) };
  };
}

const isExternal = ({ meta }: EntryResult): boolean => isObject(meta) && meta["external"] === true;

/** An answer with the texts of its result or its error redacted; a corrected call has the texts of the caller. */
function redactedAnswer<T extends object>(answer: T): T {
  const { result, error } = answer as { readonly result?: unknown; readonly error?: ErrorBody };
  const { corrected_call: call, ...said } = error ?? {};
  return {
    ...answer,
    ...(result === undefined ? {} : { result: redactedTexts(result) }),
    ...(error === undefined ? {} : { error: { ...redactedTexts(said), ...(call ? { corrected_call: call } : {}) } }),
  };
}

/** Options that hold content blocks back until it is known whether they come from elsewhere. */
function holding(options: CallOptions = {}) {
  const { attach } = options;
  if (!attach) return { options, release: () => undefined };
  const blocks: ContentBlock[] = [];
  let send = (block: ContentBlock): void => void blocks.push(block);
  return {
    options: { ...options, attach: (block: ContentBlock) => send(block) },
    release(external: boolean): void {
      send = (block) => attach(external ? redactedTexts(block) : block);
      for (const block of blocks) send(block);
    },
  };
}
