/** What is asked for over and over while somebody looks. */

import { useEffect, useState } from "preact/hooks";
import { messageOf } from "./text.js";

/** The latest answer, and why there is no newer one. */
export interface Polled<T> {
  readonly value: T | undefined;
  readonly fault: string;
}

/**
 * Asks at once, and every `ms` as long as the page is visible; one question at a time. `ask` is kept between renders by the caller;
 * answers to an earlier one are dropped.
 */
export function usePolled<T>(ask: () => Promise<T>, ms: number): Polled<T> {
  const [value, setValue] = useState<T>();
  const [fault, setFault] = useState("");
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
  }, [ask, ms]);
  return { value, fault };
}
