/** Polls the server while the page is visible. */

import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../contract/thrown.js";

/** The latest answer, the error of a later attempt, and how to ask at once. */
export interface Polled<T> {
  readonly value: T | undefined;
  readonly fault: string;
  again(): void;
}

/**
 * Asks immediately, and every `ms` while the page is visible; one request at a time. The caller keeps `ask` stable
 * between renders; answers to an earlier `ask` are dropped.
 */
export function usePolled<T>(ask: () => Promise<T>, ms: number): Polled<T> {
  const [value, setValue] = useState<T>();
  const [fault, setFault] = useState("");
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let [isCurrent, isAsking] = [true, false];
    const keep = (keepIt: () => void): void => {
      isAsking = false;
      if (isCurrent) keepIt();
    };
    const again = (): void => {
      if (isAsking || document.visibilityState !== "visible") return;
      isAsking = true;
      ask().then(
        (answer) =>
          keep(() => {
            setValue(() => answer);
            setFault("");
          }),
        (error: unknown) => keep(() => setFault(messageOf(error))),
      );
    };
    again();
    const timer = setInterval(again, ms);
    document.addEventListener("visibilitychange", again);
    return () => {
      isCurrent = false;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [ask, ms, turn]);
  return { value, fault, again: () => setTurn((before) => before + 1) };
}
