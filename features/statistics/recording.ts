/** What records calls. */

import type { Dispatch } from "../../runtime/call/call.js";
import type { Settings } from "../../runtime/config/settings.js";
import type { Recorder } from "../../runtime/contract/recorder.js";
import type { Lease } from "../../runtime/contract/resource-pool.js";
import { type RetainParts, type Retention, STATISTICS } from "../../runtime/state/retention.js";
import { recorded } from "./recorded.js";
import { createRecorder, type RecorderParts } from "./recorder.js";

/** What records calls. */
export interface Recording {
  /** Absent if statistics are disabled. */
  readonly recorder: Recorder | undefined;
}

/** Makes the retention of some tables. */
export type RetentionOf = (of: string, tables: RetainParts["tables"]) => Retention;

/** Takes the recorder, which the gateways of a process share while the settings behind it are unchanged. */
export function recordingOf(
  { state, stats: { enabled, retentionDays } }: Settings,
  { retention, ...given }: Omit<RecorderParts, "retention"> & { readonly retention: RetentionOf },
  hold: Lease,
): Recording {
  const make = () => {
    const value = createRecorder({ ...given, retention: retention("statistics", STATISTICS) });
    return { value, close: () => value.close() };
  };
  return { recorder: enabled ? hold.take(`recorder ${retentionDays} ${JSON.stringify(state)}`, make) : undefined };
}

/** The path to a handler, with what records calls. */
export const withRecording = (path: Dispatch, { recorder }: Recording, clock: () => number): Dispatch =>
  recorder ? recorded(path, recorder, clock) : path;
