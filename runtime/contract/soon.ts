/** Values that are mostly there already: to wait for a promise that is settled takes longer than most steps of a call. */

/** A value, or a promise of it. */
export type Soon<T> = T | Promise<T>;

export const isPromise = <T>(value: Soon<T>): value is Promise<T> => value instanceof Promise;

/** What a step makes of a value: at once if the value is there. @example mapSoon(project.handler(op), inOneForm) */
export const mapSoon = <T, R>(value: Soon<T>, step: (value: T) => R): Soon<R> =>
  isPromise(value) ? value.then(step) : step(value);
