/** Reads JSON of external services member by member: a member of an unexpected type counts as absent. */

import { isExact } from "../contract/exact-number.js";
import { isRecord } from "../contract/json.js";

/** A JSON object from a service. */
export type Json = Readonly<Record<string, unknown>>;

/** The value, or an empty object. */
export const objectOf = (value: unknown): Json => (isRecord(value) ? value : {});

/** The value, or an empty list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value, or an empty text. */
export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * The value, if it is a number. An exact number is passed on unchanged: results may contain it, and arithmetic uses
 * the nearest number.
 */
export const numberOf = (value: unknown): number | undefined => {
  if (isExact(value)) return value as unknown as number;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** The members that are not empty: no empty text, no empty list. */
export const present = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([, member]) => member !== undefined && member !== "" && !(Array.isArray(member) && member.length === 0),
    ),
  ) as Partial<T>;
