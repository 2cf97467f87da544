/** Memoizes an asynchronous load by key. */

import type { MaybePromise } from "./maybe-promise.js";

/** Runs `load` once a key; a failure is not cached, so that the next call tries again. */
export function memoizeAsync<T>(load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const loaded = new Map<string, Promise<T>>();
  return (key) => {
    const known = loaded.get(key);
    if (known) return known;
    const loading = load(key);
    loaded.set(key, loading);
    loading.catch(() => loaded.delete(key));
    return loading;
  };
}

/** As {@link memoizeAsync}, and gives what is loaded without a promise. */
export function memoizeLoaded<T>(load: (key: string) => Promise<T>): (key: string) => MaybePromise<T> {
  const loaded = new Map<string, T>();
  const loading = memoizeAsync(async (key) => {
    const value = await load(key);
    loaded.set(key, value);
    return value;
  });
  return (key) => loaded.get(key) ?? loading(key);
}
