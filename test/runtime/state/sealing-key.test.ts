/** The key that seals call state carried by clients: all instances share it. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { State } from "../../../runtime/state/open.js";
import { sealingKey } from "../../../runtime/state/sealing-key.js";
import { DATABASES, type Place } from "./databases.js";

describe.each(DATABASES)("the sealing key on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let place: Place;
    const states: State[] = [];
    const open = async (): Promise<State> => {
      const state = await place.open();
      states.push(state);
      return state;
    };
    beforeEach(async () => {
      place = await database.place();
    });
    afterEach(async () => {
      await Promise.all(states.splice(0).map((state) => state.close()));
      await place.remove();
    });

    it("is the same for instances that ask at once, and for those that come later", async () => {
      const instances = await Promise.all([open(), open(), open()]);
      const keys = await Promise.all(instances.flatMap((state) => [sealingKey(state), sealingKey(state)]));
      expect(new Set(keys).size).toBe(1);
      expect(await sealingKey(await open())).toBe(keys[0]);
      expect(Buffer.from(keys[0] ?? "", "base64url")).toHaveLength(32);
    });

    it("is another one for each database", async () => {
      const here = await sealingKey(await open());
      const elsewhere = await database.place();
      const state = await elsewhere.open();
      expect(await sealingKey(state)).not.toBe(here);
      await state.close();
      await elsewhere.remove();
    });
  });
});
