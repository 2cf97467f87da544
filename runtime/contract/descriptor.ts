/** Types and helpers of the generated `registry.ts`. */

import type { Kind } from "./registry.js";

/**
 * Version of the interface between generated code and the runtime. Generated code names the version it was made for.
 */
export const CODEGEN_VERSION = 1;

/** A generated, typed handle on one op. `A` is the type of its arguments, `R` of its result. */
export interface ToolDesc<Op extends string, A, R = unknown> {
  readonly op: Op;
  readonly tool: string;
  readonly kind: Kind;
  /** Digest of the input schema that the types were made from. */
  readonly input: string;
  /** Never present at run time; carries the types. */
  readonly types?: { readonly args: A; readonly result: R };
}

/** A generated registry: descriptors by op. */
export interface RegistryDesc<T extends Record<string, ToolDesc<string, unknown>>> {
  readonly codegen: number;
  readonly registry_version: string;
  readonly tools: T;
}

/**
 * Arguments of a descriptor's op.
 *
 * @example
 * type ListArgs = ArgsOf<ToolDesc<"orders.list", { day: string }>>;
 * const args: ListArgs = { day: "2026-11-02" };
 */
export type ArgsOf<D> = D extends ToolDesc<string, infer A, unknown> ? A : never;

/** Makes one descriptor. Pure, so that bundlers drop the ones that are not used. */
export function tool<Op extends string, A, R = unknown>(desc: Omit<ToolDesc<Op, A, R>, "types">): ToolDesc<Op, A, R> {
  return Object.freeze(desc);
}

/**
 * Makes the registry value of `generated/registry.ts`.
 *
 * @throws Error if the code was generated for another version of the interface than this package has
 */
export function registry<T extends Record<string, ToolDesc<string, unknown>>>(desc: RegistryDesc<T>): RegistryDesc<T> {
  if (desc.codegen !== CODEGEN_VERSION)
    throw new Error(
      `generated code is for codegen version ${desc.codegen}, this toolwright has ${CODEGEN_VERSION}: run "toolwright generate" with the installed version`,
    );
  return Object.freeze(desc);
}
