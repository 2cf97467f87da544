/** Values that follow work: each piece of work sees its own, and none is left when the last has ended. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { scopedStorage } from "../../../runtime/state/scoped-storage.js";

describe("a scoped storage", () => {
  test("gives work its own value, through whatever it awaits, beside other work", async () => {
    const storage = scopedStorage<number>();
    const seen = async (value: number): Promise<unknown> =>
      storage.run(value, async () => {
        const before = storage.current();
        await sleep(value % 3);
        await Promise.resolve();
        const inner = await storage.run(-value, async () => storage.current());
        return [before, inner, storage.current()];
      });
    const values = Array.from({ length: 50 }, (_, at) => at + 1);
    expect(await Promise.all(values.map(seen))).toEqual(values.map((one) => [one, -one, one]));
    expect(storage.current()).toBeUndefined();
  });

  test("works again after its last work has ended, and after a failure", async () => {
    const storage = scopedStorage<string>();
    const failing = storage.run("a", async () => {
      await sleep(1);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await storage.run("b", async () => storage.current())).toBe("b");
    await expect(async () =>
      storage.run("c", () => {
        throw new Error("at once");
      }),
    ).rejects.toThrow("at once");
    expect(await storage.run("d", () => sleep(1).then(() => storage.current()))).toBe("d");
  });

  test("outlives work that is ended while other work goes on", async () => {
    const storage = scopedStorage<string>();
    const long = storage.run("long", async () => {
      await sleep(20);
      return storage.current();
    });
    for (let i = 0; i < 5; i++) await storage.run("short", () => sleep(1));
    expect(await long).toBe("long");
  });
});
