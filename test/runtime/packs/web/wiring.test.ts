/** The web ops from `toolwright.yaml` and the secrets to the envelope, through the command line. */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { secretsOf } from "../../../../runtime/config/secrets.js";
import { type RuntimeConfig, settingsOf } from "../../../../runtime/config/settings.js";
import { CHECKOUT, configuredRoot, type Json, temporaryFolder, toolwright } from "../../../support/project.js";
import { always, failureOf, serving } from "./loopback.js";

const PAGE = "<title>Tides</title><p>In and out.</p>";

function writeSecrets(root: string, text: string, mode = 0o600): void {
  const file = join(root, ".onetool", "secrets.yaml");
  mkdirSync(join(root, ".onetool"), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

async function exec(root: string, op: string, args: object, env: NodeJS.ProcessEnv = {}): Promise<Json> {
  const words = ["exec", op, "--root", root, "--json", "--args", JSON.stringify(args)];
  const { stdout, stderr } = await toolwright(words, { env: { BRAVE_API_KEY: "", BRAVE_API_URL: "", ...env } });
  return stdout === "" ? { stderr } : JSON.parse(stdout);
}

describe("on the command line", () => {
  test("web.allow_private decides over loopback", { tags: "full" }, async () => {
    const { origin, requests } = await serving(always(PAGE));
    const refused = await exec(configuredRoot(""), "util.web.visit", { url: origin });
    expect(refused.error.details.field_errors[0]).toMatchObject({ path: "url", keyword: "private_address" });
    expect(requests).toHaveLength(0);
    const open = await exec(configuredRoot("web: { allow_private: [127.0.0.1] }"), "util.web.visit", { url: origin });
    expect(open).toMatchObject({ ok: true, result: { title: "Tides", content: "In and out.", truncated: false } });
  });

  test("a deadline ends a visit with TIMEOUT", { tags: "full" }, async () => {
    const { origin } = await serving(() => {});
    const root = configuredRoot("web: { allow_private: [127.0.0.1] }\nlimits: { call_timeout_ms: 300 }");
    expect((await exec(root, "util.web.visit", { url: origin })).error).toMatchObject({
      code: "TIMEOUT",
      details: { limit_ms: 300 },
    });
  });

  test("a search takes its key from the environment, else from the secrets", { tags: "full" }, async () => {
    const hit = { title: "T", url: "https://example.com/", description: "D" };
    const server = await serving(always(JSON.stringify({ web: { results: [hit] } }), "application/json"));
    const root = configuredRoot("web: { allow_private: [127.0.0.1] }");
    const env = { BRAVE_API_URL: server.origin };
    const without = await exec(root, "util.web.search", { query: "tide" }, env);
    expect(without.error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("BRAVE_API_KEY") });
    writeSecrets(root, "BRAVE_API_KEY: BSA-from-file\n");
    expect((await exec(root, "util.web.search", { query: "tide" }, env)).ok).toBe(true);
    await exec(root, "util.web.search", { query: "tide" }, { ...env, BRAVE_API_KEY: "BSA-from-environment" });
    expect(server.requests.map(({ headers }) => headers["x-subscription-token"])).toEqual([
      "BSA-from-file",
      "BSA-from-environment",
    ]);
  });

  test("an unknown provider is refused at the start", { tags: "full" }, async () => {
    const { stderr } = await exec(configuredRoot("web: { provider: altavista }"), "util.buildos.overview", {});
    expect(stderr).toContain("web.provider altavista");
  });
});

describe("settings", () => {
  const NO_PROMPTS = { instructions: "", packInstructions: new Map(), toolExamples: new Map() };
  const registry = { ir_version: 1, registry_version: "", tools: [], packs: [], reserved: [] } as const;
  const web = (config: RuntimeConfig["web"]) =>
    settingsOf({ sources: [], ...(config ? { web: config } : {}) }, registry, NO_PROMPTS, {}, (name) =>
      name === "HOST" ? "value of HOST" : undefined,
    ).settings.web;

  test("have defaults, and expand variables", () => {
    expect(web(undefined)).toEqual({ provider: "brave", allowPrivate: [] });
    const named = ["10.0.0.0/8", `$${"{HOST}"}`];
    expect(web({ provider: "brave", allow_private: named })?.allowPrivate).toEqual(["10.0.0.0/8", "value of HOST"]);
  });
});

describe("secrets", () => {
  test("are read from the file, each time anew", () => {
    const root = temporaryFolder();
    const lookup = secretsOf(root);
    expect(lookup("WEB_TEST_KEY")).toBeUndefined();
    writeSecrets(root, "WEB_TEST_KEY: first\nNUMBER: 12\nLIST: [a]\n");
    expect([lookup("WEB_TEST_KEY"), lookup("NUMBER"), lookup("LIST"), lookup("constructor")]).toEqual([
      "first",
      "12",
      undefined,
      undefined,
    ]);
    writeSecrets(root, "");
    expect(lookup("WEB_TEST_KEY")).toBeUndefined();
  });

  test.each([0o644, 0o640, 0o604, 0o660, 0o620])("are refused with mode %o", async (mode) => {
    const root = temporaryFolder();
    writeSecrets(root, "WEB_TEST_KEY: hidden\n", mode);
    const failure = await failureOf((async () => secretsOf(root)("WEB_TEST_KEY"))());
    expect(failure).toMatchObject({ code: "UNAVAILABLE", details: { secret: "WEB_TEST_KEY" } });
    expect(failure.message).toContain("chmod 600 .onetool/secrets.yaml");
    expect(failure.message).not.toContain("hidden");
  });

  test.each(["- a\n", "text", "a: [", "{"])("are refused as %j", async (text) => {
    const root = temporaryFolder();
    writeSecrets(root, text);
    expect((await failureOf((async () => secretsOf(root)("WEB_TEST_KEY"))())).code).toBe("UNAVAILABLE");
  });
});

describe("loading", () => {
  const HEAVY = ["undici", "ipaddr.js", "linkedom", "htmlparser2", "@mozilla/readability", "turndown"];

  test.each(["generator/entry/main.ts", "definitions/packs/_web-handlers.ts"])(
    "%s brings none of the web packages along",
    { tags: "full" },
    async (entry) => {
      const splitting = entry.startsWith("generator");
      const { metafile } = await build({
        absWorkingDir: CHECKOUT,
        entryPoints: [entry],
        outdir: "out",
        bundle: true,
        write: false,
        metafile: true,
        format: "esm",
        platform: "node",
        packages: "external",
        splitting,
        logLevel: "silent",
      });
      const { outputs } = metafile;
      const reached = new Set<string>();
      const walk = (output: string): void => {
        for (const { path, kind } of outputs[output]?.imports ?? []) {
          if (kind !== "import-statement" || reached.has(path)) continue;
          reached.add(path);
          walk(path);
        }
      };
      const [start] = Object.entries(outputs).find(([, output]) => output.entryPoint === entry) ?? [];
      expect(start).toBeDefined();
      walk(start ?? "");
      expect(HEAVY.filter((name) => reached.has(name))).toEqual([]);
      const lazily = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
      expect(lazily.some((path) => HEAVY.includes(path))).toBe(true);
    },
  );
});
