/** Sign-in that a feature has: what the core asks it at a request, and where its findings and its command stand. */

import { expect, test } from "vitest";
import { featureCommands } from "../../core/commands.js";
import type { CommandContext, Feature, FeatureCommand } from "../../core/feature.js";
import { commandLine } from "../../generator/cli/command-line.js";
import { type Actions, COMMANDS } from "../../generator/cli/commands.js";
import { silentLog } from "../../runtime/config/log.js";
import type { SignInSettings } from "../../runtime/config/sign-in-settings.js";
import { httpSettingsOf } from "../../runtime/config/transport-settings.js";
import type { Principal } from "../../runtime/contract/handler.js";
import { withDefaults } from "../../runtime/contract/settings/project-settings.js";
import { featureFindings } from "../../runtime/gateway/doctor-part.js";
import type { OpenedProject } from "../../runtime/gateway/project.js";
import { loadSignIn, type SignInPart } from "../../runtime/gateway/sign-in-part.js";
import { httpCallers, resourceMetadata } from "../../runtime/serve/http/callers.js";

const RESOURCE = "https://tools.example.com/mcp";
const USER: Principal = { kind: "user", id: "anna", grant: { level: "read", projects: "*" }, allowWrite: false };
const loaded: unknown[] = [];
const signInOf = (access: { readonly badge?: string }): SignInSettings => ({
  ...{ own: { badge: access.badge }, resource: RESOURCE, metadata: { badges: [access.badge] }, proof: "a badge" },
  async checkHeader() {
    loaded.push(access.badge);
    return async (shown) => (shown === `Badge ${access.badge}` ? USER : new Response("", { status: 401 }));
  },
  loggedIn: () => USER,
});
const part = { settingsOf: signInOf } as Partial<SignInPart> as SignInPart;
const settings = (badge: string) => httpSettingsOf(withDefaults({ access: { badge } as object }), undefined, part);

test("the first feature that has it is asked; without one, nobody signs in", async () => {
  const signing: Feature = { name: "badges", signIn: async () => part };
  expect(await loadSignIn({ features: [{ name: "none" }, signing] })).toBe(part);
  expect(await loadSignIn({ features: [{ name: "none" }] })).toBeUndefined();
  expect(httpSettingsOf(withDefaults({}))).not.toHaveProperty("signIn");
});

test("a request is checked by the settings in force, whose check is loaded once until they change", async () => {
  const current = { badge: "blue" };
  const principalOf = httpCallers({
    keys: () => ({ verify: async () => undefined, anyMade: async () => false }) as never,
    access: () => "auto",
    isReachable: () => false,
    publicUrl: () => undefined,
    signIn: () => settings(current.badge).signIn,
    log: silentLog,
    local: () => Promise.reject(new Error("never the local caller")),
  });
  const ask = (authorization: string) => principalOf(new Request(RESOURCE, { headers: { authorization } }));
  expect([await ask("Badge blue"), await ask("Badge blue")]).toEqual([USER, USER]);
  expect(await ask("Badge red")).toMatchObject({ status: 401 });
  current.badge = "red";
  expect(await ask("Badge red")).toBe(USER);
  expect(loaded).toEqual(["blue", "red"]);
  const metadata = resourceMetadata(new Request("http://127.0.0.1/x"), settings("red"));
  expect(await metadata.json()).toMatchObject({ resource: RESOURCE, badges: ["red"], resource_name: "toolwright" });
});

test("findings stand behind the checks that the feature names", async () => {
  const finding = (what: string): Feature => ({
    name: what,
    doctor: async () => async () => [{ what, ok: true, found: "" }],
  });
  const features = [finding("first"), { ...finding("behind"), doctorAfter: "http" } as const, finding("second")];
  const found = async (after?: "http") =>
    (await featureFindings(features, {} as OpenedProject, after)).map(({ what }) => what);
  expect([await found(), await found("http")]).toEqual([["first", "second"], ["behind"]]);
});

test("a command behind the command of its group is below it, and gets the flags that both have", async () => {
  const given: unknown[] = [];
  const command: FeatureCommand = {
    ...{ after: "config", usage: "badges", about: "list badges", examples: ["config badges"] },
    async run(_, ...words: readonly unknown[]) {
      given.push(words.length);
      return 0;
    },
  };
  const feature: Feature = { name: "badges", commands: async () => ({ commands: { "config badges": command } }) };
  const actions = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, async () => 0])) as unknown as Actions;
  const contextOf = async (flags: object) => {
    given.push(flags);
    return {} as CommandContext;
  };
  const before = process.exitCode;
  const program = commandLine("toolwright", "", actions, await featureCommands([feature], contextOf));
  await program.parseAsync(["config", "badges", "--root", "/shop"], { from: "user" });
  process.exitCode = before;
  expect(given).toEqual([{ root: "/shop" }, 2]);
  const stray = {
    ...feature,
    commands: async () => ({ commands: { "config badges": { ...command, after: "serve" } } }),
  };
  const added = await featureCommands([stray], contextOf);
  expect(() => commandLine("toolwright", "", actions, added)).toThrow("adds the command config, which toolwright has");
});
