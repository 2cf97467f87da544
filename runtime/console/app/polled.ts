/** What is asked for over and over while somebody looks. */

import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "./text.js";

/** The latest answer, and why there is no newer one. */
export interface Polled<T> {
  readonly value: T | undefined;
  readonly fault: string;
  again(): void;
}

/** Asks at once, and every `ms` as long as the page is visible. `ask` is kept between renders by the caller. */
export function usePolled<T>(ask: () => Promise<T>, ms: number): Polled<T> {
  const [value, setValue] = useState<T>();
  const [fault, setFault] = useState("");
  const again = useCallback(() => {
    ask().then(
      (answer) => {
        setValue(() => answer);
        setFault("");
      },
      (error: unknown) => setFault(messageOf(error)),
    );
  }, [ask]);
  useEffect(() => {
    again();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") again();
    }, ms);
    return () => clearInterval(timer);
  }, [again, ms]);
  return { value, fault, again };
}
