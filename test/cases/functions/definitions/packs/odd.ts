import type { Schema } from "somewhere";

export { tick } from "./_tick.js";

/** A brand. */
type Id = string & { readonly __brand: "id" };
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Every kind of type, and hostile text: *\/ ` ${x} </script> | --> */
export async function everything(args: {
  readonly id: Id;
  "not-an-identifier": string;
  /**
   * Words.
   * @minLength 1
   * @maxLength 9
   * @pattern ^[a-z]+$
   * @example abc
   */
  word: string;
  /** @format email */
  mail?: string | undefined;
  pair: [string, number?];
  many: [first: boolean, ...rest: string[]];
  table: Record<string, number>;
  mixed: "b" | "a" | 3 | null;
  flag?: boolean | null;
  list: readonly ("x" | "w")[];
  json?: Json;
  either: { kind: "cat"; lives: number } | { kind: "dog"; good: boolean };
  anything?: unknown;
  nested?: { deep: { deeper?: string } };
  /** @deprecated */
  old?: object;
  __proto__?: string;
  constructor?: string;
}): Promise<unknown> {
  return args;
}

/** What JSON cannot hold. */
export async function lossy(args: {
  call?: () => void;
  map?: Map<string, string>;
  big?: bigint;
  symbol?: symbol;
  away?: Schema;
  when?: Date;
  gone?: Missing;
  /** @minimum few */
  count?: number;
}): Promise<Set<string>> {
  return new Set(Object.keys(args));
}

/** A function of a type. */
export function generic<T>(value: T, other: T[]): T[] {
  return [value, ...other];
}
