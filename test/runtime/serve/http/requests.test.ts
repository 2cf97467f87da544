/** Counts and limits of the open requests of the HTTP transport. */

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createOpenRequests } from "../../../../runtime/serve/http/requests.js";

const answer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

test("a request whose client goes away while its body is read is not counted on, and holds up no end", async () => {
  const requests = createOpenRequests(() => 2);
  const gone = answer();
  const open = requests.enter(gone);
  gone.emit("close");
  expect(open?.more(0)).toBe(false);
  expect(open?.more(1)).toBe(false);
  expect(await requests.idle(1)).toBe(true);
  expect([requests.enter(answer()), requests.enter(answer()), requests.enter(answer())]).toEqual([
    expect.anything(),
    expect.anything(),
    undefined,
  ]);
});

test("messages that come together count each, and end together", async () => {
  const requests = createOpenRequests(() => 3);
  const first = answer();
  expect(requests.enter(first)?.more(2)).toBe(true);
  expect(requests.enter(answer())).toBeUndefined();
  expect(await requests.idle(1)).toBe(false);
  first.emit("close");
  expect(await requests.idle(1)).toBe(true);
});
