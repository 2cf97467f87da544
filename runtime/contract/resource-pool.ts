/**
 * Resource pool: lets the next gateway of a process reuse unchanged resources after a reload, and closes the others.
 */

/** A resource and its close function. */
export interface Resource<T> {
  readonly value: T;
  close(): Promise<void>;
}

/** The leases of one gateway. */
export interface Lease {
  /**
   * Leases the resource of a key; makes it if no gateway has leased it.
   *
   * @param key everything the resource is made from, so that equal keys mean equal resources
   */
  take<T>(key: string, make: () => Resource<T>): T;
  /** Returns all leases: resources without another lease are closed, the latest first. */
  release(): Promise<void>;
}

/** The pool that the gateways of a process share. */
export interface ResourcePool {
  hold(): Lease;
}

interface Entry {
  readonly kept: Resource<unknown>;
  holders: number;
}

/** Creates an empty pool. */
export function createResourcePool(): ResourcePool {
  const entries = new Map<string, Entry>();
  const letGo = async (key: string): Promise<void> => {
    const entry = entries.get(key);
    if (!entry || --entry.holders > 0) return;
    entries.delete(key);
    await entry.kept.close();
  };
  const entryOf = (key: string, make: () => Resource<unknown>): Entry => {
    const entry = entries.get(key) ?? { kept: make(), holders: 0 };
    entries.set(key, entry);
    entry.holders++;
    return entry;
  };
  return {
    hold() {
      const keys: string[] = [];
      return {
        take<T>(key: string, make: () => Resource<T>): T {
          const { kept } = entryOf(key, make);
          keys.push(key);
          return kept.value as T;
        },
        async release() {
          for (const key of keys.splice(0).reverse()) await letGo(key);
        },
      };
    },
  };
}
