/** Entries of `servers`: variables, secrets, and what is refused. */

import { describe, expect, test } from "vitest";
import { expandServer, isServerName, type Unusable, type UpstreamServer } from "../../../runtime/upstream/servers.js";

const KNOWN: Readonly<Record<string, string>> = {
  TOKEN: "tok-123456789",
  HOST: "example.com",
  OUBLIETTE_API_KEY: "oub_mine",
};
const open = (entry: object, name = "one"): UpstreamServer | Unusable =>
  expandServer(name, entry, (variable) => KNOWN[variable]);

describe("an entry of servers", () => {
  test("variables are filled in everywhere, with their defaults, and remembered as secrets", () => {
    expect(
      open({ command: "run", args: ["--url", `\${HOST:-x}`], env: { T: `Bearer \${TOKEN}`, D: `\${NONE:-deep}` } }),
    ).toEqual({
      name: "one",
      endpoint: {
        kind: "stdio",
        command: "run",
        args: ["--url", "example.com"],
        env: { T: "Bearer tok-123456789", D: "deep" },
      },
      timeoutMs: 30_000,
      answerBytes: 4_194_304,
      secrets: new Map([
        ["HOST", "example.com"],
        ["TOKEN", "tok-123456789"],
      ]),
    });
    expect(open({ url: `https://\${HOST}/mcp`, headers: { A: `\${TOKEN}` }, timeout: 1.5 })).toMatchObject({
      endpoint: { kind: "http", url: new URL("https://example.com/mcp"), headers: { A: "tok-123456789" } },
      timeoutMs: 1500,
    });
  });

  const refused: readonly (readonly [string, object, RegExp])[] = [
    [
      "a variable that is not set, each once",
      { command: "x", args: [`\${A1}`, `\${B2}`, `\${A1}`] },
      /^A1, B2 are not set$/,
    ],
    [
      "our own key, as a variable",
      { command: "x", env: { K: `\${OUBLIETTE_API_KEY}` } },
      /OUBLIETTE_API_KEY, which no/,
    ],
    ["our own key, as a name", { command: "x", env: { OUBLIETTE_API_KEY: "y" } }, /OUBLIETTE_API_KEY, which no/],
    ["neither command nor url", {}, /no command/],
    ["http without url", { type: "http" }, /no url/],
    ["another scheme", { url: "file:///etc/passwd" }, /no http or https/],
    ["credentials in the url", { url: "https://me:secret@example.com/" }, /user name or a password/],
    ["a header that cannot be sent", { url: "https://x.example/", headers: { "a b": "1" } }, /header "a b"/],
  ];
  test.each(refused)("is refused for %s", (_, entry, reason) => {
    const found = open(entry) as Unusable;
    expect(found.reason).toMatch(reason);
    expect(found.remedy).not.toBe("");
    expect(JSON.stringify(found)).not.toContain("secret@");
  });

  test("a secrets file that must not be read costs the servers that need it", () => {
    const lookup = (): never => {
      throw new Error("has mode 0644");
    };
    expect(expandServer("one", { command: "x", args: [`\${A}`] }, lookup)).toMatchObject({ reason: "has mode 0644" });
    expect(expandServer("one", { command: "x" }, lookup)).toMatchObject({ name: "one" });
  });

  test("names make file names on every system", () => {
    for (const name of ["a", "files", "my.server", "a-b_c", "9lives", "x".repeat(64)])
      expect(isServerName(name), name).toBe(true);
    for (const name of [
      "",
      ".",
      "..",
      "../x",
      "a/b",
      "a\\b",
      ".x",
      "x.",
      "a b",
      "con",
      "NUL.x",
      "com1",
      "__proto__",
      "é",
      "x".repeat(65),
      "a\0",
    ])
      expect(isServerName(name), name).toBe(false);
  });
});
