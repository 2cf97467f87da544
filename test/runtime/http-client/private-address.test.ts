/** Which addresses are private, and what an entry of `web.allow_private` allows. */

import { describe, expect, test } from "vitest";
import { addressGuard } from "../../../runtime/http-client/private-address.js";
import { failureOf } from "../packs/web/loopback.js";

/** Address and the range it is refused for. */
const REFUSED: readonly (readonly [address: string, range: string])[] = [
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["100.64.0.1", "carrierGradeNat"],
  ["100.127.255.254", "carrierGradeNat"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["169.254.169.254", "linkLocal"],
  ["172.16.0.1", "private"],
  ["172.31.255.254", "private"],
  ["192.0.0.8", "reserved"],
  ["192.0.2.1", "reserved"],
  ["192.88.99.1", "reserved"],
  ["192.168.1.1", "private"],
  ["198.18.0.1", "reserved"],
  ["198.51.100.1", "reserved"],
  ["203.0.113.1", "reserved"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.250", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::7f00:1", "reserved"],
  ["::127.0.0.1", "ipv4Mapped"],
  ["::ffff:127.0.0.1", "ipv4Mapped"],
  ["::ffff:8.8.8.8", "ipv4Mapped"],
  ["::ffff:0:127.0.0.1", "rfc6145"],
  ["64:ff9b::7f00:1", "rfc6052"],
  ["64:ff9b::8.8.8.8", "rfc6052"],
  ["64:ff9b:1::1", "rfc6052"],
  ["100::1", "discard"],
  ["2001::1", "teredo"],
  ["2001:db8::1", "reserved"],
  ["2002:7f00:1::", "6to4"],
  ["3fff::1", "reserved"],
  ["4000::1", "reserved"],
  ["5f00::1", "segmentRouting"],
  ["fc00::1", "uniqueLocal"],
  ["fd12:3456:789a::1", "uniqueLocal"],
  ["fe80::1", "linkLocal"],
  ["fe80::1%eth0", "linkLocal"],
  ["fec0::1", "deprecatedSiteLocal"],
  ["ff02::1", "multicast"],
  ["", "unknown"],
  ["localhost", "unknown"],
];

const PUBLIC = ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700:4700::1111", "2a00::1"];

describe("addresses", () => {
  test.each(REFUSED)("%s is refused: %s", (address, range) => {
    expect(addressGuard([]).refusal(address)).toBe(range);
  });

  test.each(PUBLIC)("%s may be reached", (address) => {
    expect(addressGuard([]).refusal(address)).toBeUndefined();
  });

  test("an allowance covers what it names and nothing beside it", () => {
    const guard = addressGuard(["10.1.0.0/16", "192.168.1.7", "fd00::/8", "::1", "Build.Internal."]);
    for (const address of ["10.1.2.3", "192.168.1.7", "fd00::1", "::1"]) expect(guard.refusal(address)).toBeUndefined();
    for (const address of ["10.2.0.1", "192.168.1.8", "fc00::1", "127.0.0.1", "::ffff:10.1.2.3"])
      expect(guard.refusal(address)).toBeDefined();
    expect(guard.names("build.internal")).toBe(true);
    expect(guard.names("BUILD.INTERNAL.")).toBe(true);
    expect(guard.names("evil.build.internal")).toBe(false);
    expect(guard.names("internal")).toBe(false);
  });

  test.each(["10.0.0.0/33", "http://localhost/", "a b", "", "*.internal", "::/129"])(
    "%j is no allowance, and nothing works until it is mended",
    async (entry) => {
      const failure = await failureOf((async () => addressGuard([entry]))());
      expect(failure.code).toBe("UNAVAILABLE");
      expect(failure.message).toContain(JSON.stringify(entry));
    },
  );
});
