/** The guarded `fetch` connects to public and allowed addresses only. */

import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import { checkedLookup, guardedFetch, type Resolve } from "../../../runtime/http-client/guard.js";
import { addressGuard } from "../../../runtime/http-client/private-address.js";
import { freePort } from "../../support/ports.js";
import { always, failureOf, fieldOf, serving } from "../packs/web/loopback.js";

/** Answers each question with the next of these; the last one stays. */
function resolver(...answers: readonly (readonly string[])[]): Resolve & { readonly asked: string[] } {
  const asked: string[] = [];
  const resolve = async (hostname: string) => answers[Math.min(asked.push(hostname), answers.length) - 1] ?? [];
  return Object.assign(resolve, { asked });
}

const closing = (body: string) => always(body, "text/plain", 200, { connection: "close" });
const strict = guardedFetch({ allowPrivate: [] });

describe("addresses in place of a name", () => {
  const forms = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "１２７.０.０.１",
    "0",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
  ];
  test.each(forms)("http://%s/ is refused before anything is sent", async (host) => {
    const { port, requests } = await serving(always("secret"));
    const failure = await failureOf(strict(`http://${host}:${port}/`));
    expect(failure.code).toBe("VALIDATION_ERROR");
    expect(fieldOf(failure)).toEqual({ path: "url", keyword: "private_address" });
    expect(requests).toHaveLength(0);
  });

  test("the same server answers once its address is allowed", async () => {
    const { origin } = await serving(always("open", "text/plain"));
    expect(await (await guardedFetch({ allowPrivate: ["127.0.0.0/8"] })(origin)).text()).toBe("open");
  });
});

describe("names", () => {
  test("a name that leads to a private address is refused, and the address is not revealed", async () => {
    const { port, requests } = await serving(always("secret"));
    const resolve = resolver(["127.0.0.1"]);
    const failure = await failureOf(guardedFetch({ allowPrivate: [], resolve })(`http://inside.example:${port}/`));
    expect(fieldOf(failure)).toEqual({ path: "url", keyword: "private_address" });
    expect(JSON.stringify([failure.message, failure.details])).not.toContain("127.0.0.1");
    expect(failure.message).toContain("loopback");
    expect(requests).toHaveLength(0);
  });

  test("localhost, of the system's resolver, is refused and can be allowed by name", async () => {
    const { port } = await serving(always("open", "text/plain"));
    expect(fieldOf(await failureOf(strict(`http://localhost:${port}/`)))?.keyword).toBe("private_address");
    const named = guardedFetch({ allowPrivate: ["localhost"] });
    expect(await (await named(`http://LOCALHOST:${port}/`)).text()).toBe("open");
    expect(fieldOf(await failureOf(named(`http://127.0.0.1:${port}/`)))?.keyword).toBe("private_address");
  });

  test("of several addresses only those that pass are connected to", async () => {
    const { port } = await serving(always("allowed", "text/plain"), "127.0.0.2");
    const refused = await serving(always("refused", "text/plain"), "127.0.0.3", port);
    const resolve = resolver(["127.0.0.3", "127.0.0.2", "10.0.0.1"]);
    const response = await guardedFetch({ allowPrivate: ["127.0.0.2"], resolve })(`http://mixed.example:${port}/`);
    expect(await response.text()).toBe("allowed");
    expect(refused.requests).toHaveLength(0);
  });

  test("a name without an address cannot be reached", async () => {
    const failure = await failureOf(guardedFetch({ allowPrivate: [], resolve: resolver([]) })("http://none.example/"));
    expect(failure).toMatchObject({ code: "UNAVAILABLE", details: { server: "none.example", reason: "ENOTFOUND" } });
  });
});

describe("rebinding", () => {
  test("the connection goes to the address that was checked, however often the name changes", async () => {
    const { port } = await serving(closing("checked"), "127.0.0.2");
    const inside = await serving(closing("inside"), "127.0.0.1", port);
    const resolve = resolver(["127.0.0.2"], ["127.0.0.1"]);
    const fetching = guardedFetch({ allowPrivate: ["127.0.0.2"], resolve });
    expect(await (await fetching(`http://moving.example:${port}/`)).text()).toBe("checked");
    expect(resolve.asked).toEqual(["moving.example"]);
    const failure = await failureOf(fetching(`http://moving.example:${port}/`));
    expect(fieldOf(failure)).toEqual({ path: "url", keyword: "private_address" });
    expect(resolve.asked).toHaveLength(2);
    expect(inside.requests).toHaveLength(0);
  });

  test("a socket gets the public address of the first answer, without a second lookup", async () => {
    const resolve = resolver(["93.184.216.34", "10.0.0.1"], ["127.0.0.1"]);
    const lookup = checkedLookup(addressGuard([]), resolve);
    const ask = (all: boolean) =>
      new Promise<{ readonly error: Error | null; readonly found: string | LookupAddress[] }>((done) =>
        lookup("moving.example", { all }, (error, found) => done({ error, found })),
      );
    expect(await ask(true)).toEqual({ error: null, found: [{ address: "93.184.216.34", family: 4 }] });
    expect((await ask(false)).error?.name).toBe("AddressRefusedError");
    expect((await ask(false)).found).toEqual([]);
  });

  test("a socket that wants one address gets one", async () => {
    const lookup = checkedLookup(addressGuard([]), resolver(["2606:4700:4700::1111"]));
    const found = await new Promise((done) =>
      lookup("one.example", {}, (_, address, family) => done([address, family])),
    );
    expect(found).toEqual(["2606:4700:4700::1111", 6]);
  });
});

describe("redirects", () => {
  const open = guardedFetch({ allowPrivate: ["127.0.0.1"] });
  const redirecting = (to: string, status = 302) =>
    serving((_, response) => void response.writeHead(status, { location: to }).end());

  test.each([
    ["http://127.0.0.2/", "private_address"],
    ["http://[::1]/", "private_address"],
    ["http://169.254.169.254/latest/meta-data/", "private_address"],
    ["http://0x0a000001/", "private_address"],
    ["//127.0.0.2:8080/", "private_address"],
    ["file:///etc/passwd", "scheme"],
    ["ftp://example.com/", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["http://me:secret@127.0.0.1/", "credentials"],
    ["http://[half", "format"],
  ])("to %s is refused: %s", async (to, keyword) => {
    const { origin } = await redirecting(to);
    expect(fieldOf(await failureOf(open(origin)))).toEqual({ path: "url", keyword });
  });

  test("five are followed, a sixth is not", async () => {
    const chain = await serving((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("there");
      else response.writeHead(301, { location: `/${left - 1}` }).end();
    });
    const response = await open(`${chain.origin}/5`);
    expect([await response.text(), response.url]).toEqual(["there", `${chain.origin}/0`]);
    const failure = await failureOf(open(`${chain.origin}/6`));
    expect(failure).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("more than 5 times") });
    expect(chain.requests).toHaveLength(12);
  });

  test("another origin gets no keys, the same one does", async () => {
    const other = await serving(always("other", "text/plain"));
    const first = await serving((request, response) =>
      request.url === "/start"
        ? response.writeHead(307, { location: "/again" }).end()
        : response.writeHead(307, { location: other.origin }).end(),
    );
    const headers = { authorization: "Bearer x", cookie: "a=b", "x-subscription-token": "k", accept: "text/plain" };
    await open(`${first.origin}/start`, { headers });
    expect(first.requests[1]?.headers).toMatchObject(headers);
    const { authorization, cookie, accept, "x-subscription-token": token } = other.requests[0]?.headers ?? {};
    expect({ authorization, cookie, accept, token }).toEqual({ accept: "text/plain" });
  });

  test("they are given back, or refused, on demand; an answer to POST is given back", async () => {
    const { origin } = await redirecting("/next", 307);
    expect((await open(origin, { redirect: "manual" })).status).toBe(307);
    expect((await failureOf(open(origin, { redirect: "error" }))).code).toBe("UNAVAILABLE");
    expect((await open(origin, { method: "POST", body: "x" })).status).toBe(307);
  });
});

describe("requests", () => {
  test.each([
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["data:text/plain,x", "scheme"],
    ["http://user:pass@example.com/", "credentials"],
    ["http://user@example.com/", "credentials"],
    ["nonsense", "format"],
  ])("%s is refused: %s", async (url, keyword) => {
    const failure = await failureOf(strict(url));
    expect(failure.code).toBe("VALIDATION_ERROR");
    expect(fieldOf(failure)).toEqual({ path: "url", keyword });
    expect(JSON.stringify(failure.details)).not.toContain("pass@");
  });

  test("a dispatcher of the caller's own does not replace the guard", async () => {
    const { origin, requests } = await serving(always("secret"));
    const { Agent } = await import("undici");
    const init = { dispatcher: new Agent() } as unknown as Parameters<typeof strict>[1];
    expect(fieldOf(await failureOf(strict(origin, init)))?.keyword).toBe("private_address");
    expect(requests).toHaveLength(0);
  });

  test("a Request of the platform is sent whole", async () => {
    const bodies: string[] = [];
    const { origin, requests } = await serving((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
      request.on("end", () => response.end("done"));
    });
    const open = guardedFetch({ allowPrivate: ["127.0.0.1"] });
    const request = new Request(`${origin}/path`, { method: "PUT", body: "text", headers: { "x-a": "b" } });
    expect(await (await open(request)).text()).toBe("done");
    expect([requests[0]?.method, requests[0]?.url, requests[0]?.headers["x-a"], bodies.join("")]).toEqual([
      "PUT",
      "/path",
      "b",
      "text",
    ]);
  });

  test("a host that refuses connections is reported as unreachable, without its address", async () => {
    const port = await freePort();
    const open = guardedFetch({ allowPrivate: ["gone.example"], resolve: resolver(["127.0.0.1"]) });
    const failure = await failureOf(open(`http://gone.example:${port}/`));
    expect(failure).toMatchObject({ code: "UNAVAILABLE", details: { reason: "ECONNREFUSED" } });
    expect(JSON.stringify([failure.message, failure.details])).not.toContain("127.0.0.1");
  });

  test("the signal ends it", async () => {
    const { origin } = await serving(() => {});
    const open = guardedFetch({ allowPrivate: ["127.0.0.1"] });
    await expect(open(origin, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
