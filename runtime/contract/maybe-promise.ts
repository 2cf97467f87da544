/** Values that are often there already: to wait for a settled promise takes longer than most steps of a call. */

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";

/** What a step makes of a value: at once if the value is there. @example mapMaybe(project.handler(op), inOneForm) */
export const mapMaybe = <T, R>(value: MaybePromise<T>, step: (value: T) => R): MaybePromise<R> =>
  isPromise(value) ? value.then(step) : step(value);
