/** The transport of `serve --socket`, which a feature has. */

import { expect, test } from "vitest";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { OpenTransport, SocketPart } from "../../runtime/gateway/open-transport.js";
import { transportsOf } from "../../runtime/serve/transports.js";
import { fixture, liveOf, principal } from "../runtime/gateway/fixture.js";

test("it is opened at the path that the feature gives, which is checked at once", async () => {
  const opened: unknown[] = [];
  const transport: OpenTransport = { stop: () => {}, idle: async () => true, close: async () => {} };
  const part: SocketPart = {
    path(root, given = "default") {
      if (given === "long") throw new UsageError("the path is too long");
      return `${root}/${given}`;
    },
    open: async ({ path, root, live }) => {
      opened.push([path, root, live]);
      return transport;
    },
  };
  expect(() => transportsOf({ socket: "long" }, "/root", part)).toThrow("the path is too long");
  const live = liveOf(fixture().gateway);
  const found = await transportsOf({ socket: true }, "/root", part)({ live, principal, version: "0" });
  expect(found).toEqual({ transports: [transport], socket: "/root/default" });
  expect(opened).toEqual([["/root/default", "/root", live]]);
  await live.close();
});

test("without such a feature, the flag is refused", () => {
  expect(() => transportsOf({ socket: true }, "/root")).toThrow("--socket: there is no feature that serves it");
});
