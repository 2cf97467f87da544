/** What outlasts a change of configuration: the next gateway of a process takes over what it needs unchanged, and the rest is closed. */

/** Something, and how it ends. */
export interface Kept<T> {
  readonly value: T;
  close(): Promise<void>;
}

/** What one gateway holds. */
export interface Hold {
  /**
   * What stands under a key; made where nobody holds it.
   *
   * @param key everything that the thing is made from, so that equal keys mean equal things
   */
  take<T>(key: string, make: () => Kept<T>): T;
  /** Lets go: what nobody else holds is closed, the latest first. */
  release(): Promise<void>;
}

/** What the gateways of a process use together. */
export interface Shared {
  hold(): Hold;
}

interface Entry {
  readonly kept: Kept<unknown>;
  holders: number;
}

/** Nothing is in it at first. */
export function createShared(): Shared {
  const entries = new Map<string, Entry>();
  const letGo = async (key: string): Promise<void> => {
    const entry = entries.get(key);
    if (!entry || --entry.holders > 0) return;
    entries.delete(key);
    await entry.kept.close();
  };
  const entryOf = (key: string, make: () => Kept<unknown>): Entry => {
    const entry = entries.get(key) ?? { kept: make(), holders: 0 };
    entries.set(key, entry);
    entry.holders++;
    return entry;
  };
  return {
    hold() {
      const keys: string[] = [];
      return {
        take<T>(key: string, make: () => Kept<T>): T {
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
