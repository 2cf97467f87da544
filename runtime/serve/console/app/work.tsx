/** Work that the user waits for and can stop. */

import { useState } from "preact/hooks";
import { messageOf } from "../../../contract/thrown.js";

/** One task at a time, and the error of the last one. */
export interface Work {
  readonly fault: string;
  setFault(text: string): void;
  /** Absent if nothing is under way. */
  readonly stop: (() => void) | undefined;
  start(work: (signal: AbortSignal) => Promise<void>): void;
}

/** Starts idle. */
export function useWork(): Work {
  const [fault, setFault] = useState("");
  const [running, setRunning] = useState<AbortController>();
  const start = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    if (running) return;
    const current = new AbortController();
    setRunning(current);
    setFault("");
    try {
      await work(current.signal);
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setRunning(undefined);
    }
  };
  return {
    fault,
    setFault,
    stop: running && (() => running.abort()),
    start: (work) => void start(work),
  };
}

interface StartStopProps {
  readonly work: Work;
  /** Label of the button. */
  readonly text: string;
  readonly isDisabled?: boolean;
  /** Absent: the button submits its form. */
  readonly onStart?: () => void;
}

/** Starts work, and stops it while it is under way. */
export const StartStop = ({ work: { stop }, text, isDisabled = false, onStart }: StartStopProps) => (
  <>
    <button
      type={onStart ? "button" : "submit"}
      class="main"
      disabled={stop !== undefined || isDisabled}
      {...(onStart ? { onClick: onStart } : {})}
    >
      {stop ? "Running…" : text}
    </button>
    {stop && (
      <button type="button" onClick={stop}>
        Stop
      </button>
    )}
  </>
);
