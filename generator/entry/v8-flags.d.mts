/** Types of `v8-flags.mjs`. */

/** Sets V8 up for a command of the command line. */
export function setV8Flags(command: string, startedAfterMs?: number): void;
