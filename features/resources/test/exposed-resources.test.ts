/**
 * Ops as resources and prompts: listed for callers who may see the op, called through dispatch, with each kind of
 * result in its form.
 */

import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../runtime/codegen.js";
import { fail } from "../../../runtime/codegen.js";
import type { Parameter, Tool } from "../../../runtime/contract/registry.js";
import { fixture, grant, handler } from "../../../test/runtime/gateway/fixture.js";
import { closed, TOOLS } from "../../../test/runtime/gateway/fixture-tools.js";
import { connected } from "../../../test/runtime/serve/mcp/connected.js";
import type { ResourcesConfig } from "../settings.js";
import { withResources } from "./with-resources.js";

const sample = (): Tool => {
  const [first] = TOOLS;
  if (!first) throw new Error("no tools");
  return first;
};

const parameter = (name: string, required: boolean): Parameter => ({
  name,
  original: name,
  required,
  aliases: [],
  type: "string",
  description: `The ${name}.`,
});

/** A read of these properties, the required ones with an exclamation mark behind them. */
function read(op: string, properties: Readonly<Record<string, JsonSchema>> = {}, more: Partial<Tool> = {}): Tool {
  const names = Object.keys(properties);
  const plain = names.map((name) => name.replace("!", ""));
  return {
    ...sample(),
    op,
    tool_name: op.replaceAll(".", "_"),
    group: "offer",
    access: "read",
    kind: "read",
    summary: `Gives ${op}.`,
    description: `Gives ${op}.`,
    parameters: names.map((name, i) => parameter(plain[i] ?? "", name.endsWith("!"))),
    parameters_schema: {
      ...closed(Object.fromEntries(names.map((name, i) => [plain[i], properties[name]])) as never),
      required: plain.filter((_, i) => names[i]?.endsWith("!")),
    },
    aliases: [],
    ...more,
  };
}

const IMAGE = { type: "image", mime: "image/png", bytes: "iVBORw==" };
const EMBEDDED = { type: "resource", uri: "other://it", mime: "text/plain", text: "Inside." };
const RESULTS: Readonly<Record<string, unknown>> = {
  "offer.text": "Plain.",
  "offer.object": { a: [1] },
  "offer.image": IMAGE,
  "offer.mixed": ["See:", IMAGE, { type: "audio", mime: "audio/wav", bytes: "UklGRg==" }, EMBEDDED, { n: 1 }],
  "offer.list": [1, "two"],
  "offer.like": { type: "image", caption: "none of ours" },
  "offer.secret": "Hidden.",
};
const FORMS: JsonSchema = { type: "string", enum: ["short", "long"] };

const MORE: readonly Tool[] = [
  ...Object.keys(RESULTS).map((op) => read(op, {}, op === "offer.secret" ? { access: "admin" } : {})),
  read("offer.echo", { "id!": { type: "string" }, n: { type: "integer" }, form: FORMS, flag: { type: "boolean" } }),
  read("offer.broken"),
  read("offer.slow"),
  read("offer.write", {}, { kind: "write", access: "write" }),
];
const CONFIG: ResourcesConfig["expose"] = {
  resources: {
    ...Object.fromEntries(Object.keys(RESULTS).map((op) => [`test://${op}`, { op }])),
    "test://named": { op: "offer.text", name: "Named", description: "One text.", mime: "text/markdown" },
    "test://echo/{id}": { op: "offer.echo" },
    "test://echo/{id}/{n}/{form}": { op: "offer.echo", name: "Echo", mime: "application/json" },
    "test://secret/{id}": { op: "offer.secret" },
    "test://echo/fixed": { op: "offer.text" },
    "test://broken": { op: "offer.broken" },
    "test://slow": { op: "offer.slow" },
    "test://write": { op: "offer.write" },
    "test://gone": { op: "offer.gone" },
  },
  prompts: {
    mixed: { op: "offer.mixed" },
    echo: { op: "offer.echo", description: "Says it." },
    secret: { op: "offer.secret" },
    write: { op: "offer.write" },
    gone: { op: "offer.gone" },
    broken: { op: "offer.broken" },
  },
};
const HANDLERS = {
  ...Object.fromEntries(Object.entries(RESULTS).map(([op, value]) => [op, handler(async () => value)])),
  "offer.echo": handler(async (args) => args),
  "offer.broken": handler(async () => fail("NOT_FOUND", "There is none.")),
  "offer.slow": handler(async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    throw new Error("aborted");
  }),
};
const made = async (settings = {}, expose = CONFIG) =>
  fixture({ more: MORE, handlers: HANDLERS, settings, options: await withResources(expose) });

const client = await connected(await made());
const contents = async (uri: string) => (await client.readResource({ uri })).contents;

describe("resources", () => {
  test.each([
    ["test://offer.text", [{ mimeType: "text/plain", text: "Plain." }]],
    ["test://named", [{ mimeType: "text/markdown", text: "Plain." }]],
    ["test://offer.object", [{ mimeType: "application/json", text: '{"a":[1]}' }]],
    ["test://offer.list", [{ mimeType: "application/json", text: '[1,"two"]' }]],
    ["test://offer.like", [{ mimeType: "application/json", text: '{"type":"image","caption":"none of ours"}' }]],
    ["test://offer.image", [{ mimeType: "image/png", blob: "iVBORw==" }]],
    [
      "test://offer.mixed",
      [
        { mimeType: "text/plain", text: "See:" },
        { mimeType: "image/png", blob: "iVBORw==" },
        { mimeType: "audio/wav", blob: "UklGRg==" },
        { uri: "other://it", mimeType: "text/plain", text: "Inside." },
        { mimeType: "application/json", text: '{"n":1}' },
      ],
    ],
    ["test://echo/a%2Fb%20c", [{ mimeType: "application/json", text: '{"id":"a/b c"}' }]],
    ["test://echo/7/7/long", [{ mimeType: "application/json", text: '{"id":"7","n":7,"form":"long"}' }]],
    // An address that is there by itself is no value of a template.
    ["test://echo/fixed", [{ mimeType: "text/plain", text: "Plain." }]],
  ])("are read at %s", async (uri, found) =>
    expect(await contents(uri)).toEqual(found.map((one) => ({ uri, ...one }))),
  );

  test("are listed beside the server's own", async () => {
    const [all, ...rest] = (await client.listResources()).resources;
    expect(all?.uri).toBe("onetool://tools");
    const exposed = rest.filter(({ uri }) => uri.startsWith("test:"));
    expect(rest.slice(0, exposed.length)).toEqual(exposed);
    expect(exposed.map(({ uri }) => uri)).toEqual([
      ...["text", "object", "image", "mixed", "list", "like"].map((one) => `test://offer.${one}`),
      ...["named", "echo/fixed", "broken", "slow"].map((one) => `test://${one}`),
    ]);
    expect(exposed).toContainEqual({
      uri: "test://named",
      name: "Named",
      description: "One text.",
      mimeType: "text/markdown",
    });
    expect(exposed[0]).toEqual({
      uri: "test://offer.text",
      name: "offer.text",
      description: "Gives offer.text.",
    });
  });

  test("templates are listed, and their variables completed", async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate, name }) => [uriTemplate, name])).toEqual([
      ["onetool://tool/{name}", "tool"],
      ["test://echo/{id}", "offer.echo"],
      ["test://echo/{id}/{n}/{form}", "Echo"],
    ]);
    const values = async (uri: string, name: string, value = "") => {
      const { completion } = await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } });
      return completion.values;
    };
    expect(await values("test://echo/{id}/{n}/{form}", "form")).toEqual(["short", "long"]);
    expect(await values("test://echo/{id}/{n}/{form}", "form", "L")).toEqual(["long"]);
    expect(await values("test://echo/{id}/{n}/{form}", "id")).toEqual([]);
    // It is an argument of the op, but no variable of this one.
    expect(await values("test://echo/{id}", "form")).toEqual([]);
    await expect(values("test://secret/{id}", "id")).rejects.toMatchObject({ code: -32602 });
  });

  test.each(["test://offer.secret", "test://secret/1", "test://write", "test://gone"])(
    "%s is answered as what there is not",
    async (uri) => {
      const there = await client.readResource({ uri }).catch((error: unknown) => error);
      const not = await client.readResource({ uri: `${uri}x`.replace(":", "x:") }).catch((error: unknown) => error);
      expect(there).toMatchObject({ code: -32602, data: { uri } });
      expect(String(there).replace(uri, "")).toBe(String(not).replace(`${uri}x`.replace(":", "x:"), ""));
    },
  );

  test("a caller that sees the op has the resource", async () => {
    const admin = await connected(await made(), grant("admin"));
    const { resources } = await admin.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("test://offer.secret");
    expect((await admin.readResource({ uri: "test://offer.secret" })).contents).toEqual([
      { uri: "test://offer.secret", mimeType: "text/plain", text: "Hidden." },
    ]);
  });

  test.each([
    ["test://broken", -32602, { uri: "test://broken", code: "NOT_FOUND", message: "There is none." }],
    ["test://echo/1/x/short", -32602, { code: "VALIDATION_ERROR" }],
    ["test://echo/1/1/other", -32602, { code: "VALIDATION_ERROR" }],
  ])("a failure of the op at %s is an error with the envelope's code", async (uri, code, data) => {
    await expect(contents(uri)).rejects.toMatchObject({ code, data: { ...data, trace_id: expect.any(String) } });
  });

  test("an op that does not end is ended", async () => {
    const slow = await connected(await made({ callTimeoutMs: 50 }));
    await expect(slow.readResource({ uri: "test://slow" })).rejects.toMatchObject({
      code: -32603,
      data: { code: "TIMEOUT" },
    });
  });

  test("a result over its bound is an error", async () => {
    const { run } = (await made()).gateway.settings;
    const small = await connected(await made({ run: { ...run, limits: { ...run.limits, resultBytes: 20 } } }));
    expect((await small.readResource({ uri: "test://offer.text" })).contents).toHaveLength(1);
    await expect(small.readResource({ uri: "test://offer.image" })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("limits.result_bytes"),
    });
  });

  test("long lists come in pages", async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`many://${i}`, { op: "offer.text" }]));
    const templates = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`many${i}://{id}`, { op: "offer.echo" }]),
    );
    const long = await connected(await made({}, { resources: { ...many, ...templates }, prompts: {} }));
    const first = await long.request({ method: "resources/list", params: {} });
    expect(first.resources).toHaveLength(250);
    expect(first.nextCursor).toBeDefined();
    const uris = (await long.listResources()).resources.map(({ uri }) => uri);
    expect(uris.filter((uri) => uri.startsWith("many:"))).toHaveLength(600);
    const page = await long.request({ method: "resources/templates/list", params: {} });
    expect([page.resourceTemplates.length, page.nextCursor === undefined]).toEqual([250, false]);
    expect((await long.listResourceTemplates()).resourceTemplates).toHaveLength(301);
  });
});

describe("prompts", () => {
  test("are listed among the snippets, with the op's arguments", async () => {
    const snippet = { parameters: new Map(), body: "1" };
    const snippets = async () => new Map(["dull", "mixed", "secret"].map((name) => [name, snippet]));
    const here = await connected(
      fixture({
        more: MORE,
        handlers: HANDLERS,
        options: await withResources(CONFIG),
        project: { snippets },
      }),
    );
    const { prompts } = await here.listPrompts();
    // Where a snippet has the same name as a prompt that the caller sees, it makes room.
    expect(prompts.map(({ name }) => name)).toEqual(["broken", "dull", "echo", "mixed", "secret", "snippet_mixed"]);
    expect(prompts.find(({ name }) => name === "echo")).toEqual({
      name: "echo",
      description: "Says it.",
      arguments: [
        { name: "id", description: "The id.", required: true },
        { name: "n", description: "The n.", required: false },
        { name: "form", description: "The form.", required: false },
        { name: "flag", description: "The flag.", required: false },
      ],
    });
    const { messages } = await here.getPrompt({ name: "secret" });
    expect(messages[0]?.content).toMatchObject({ type: "text", text: expect.stringContaining("__onetool__run") });
  });

  test("what the op answers is what the user says", async () => {
    const { description, messages } = await client.getPrompt({ name: "mixed" });
    expect(description).toBe("Gives offer.mixed.");
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "user", "user", "user"]);
    expect(messages.map(({ content }) => content)).toEqual([
      { type: "text", text: "See:" },
      { type: "image", mimeType: "image/png", data: "iVBORw==" },
      { type: "audio", mimeType: "audio/wav", data: "UklGRg==" },
      { type: "resource", resource: { uri: "other://it", mimeType: "text/plain", text: "Inside." } },
      { type: "text", text: '{"n":1}' },
    ]);
  });

  test("arguments have the types of the op; empty texts are left out", async () => {
    const given = { id: "5", n: "5", form: "", flag: "true" };
    const { messages } = await client.getPrompt({ name: "echo", arguments: given });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: '{"id":"5","n":5,"flag":true}' } }]);
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "echo" },
      argument: { name: "form", value: "s" },
    });
    expect(completion.values).toEqual(["short"]);
  });

  test.each([
    ["echo", {}, "'id' is required"],
    ["echo", { id: "1", fort: "x" }, "there is no argument 'fort'; did you mean 'form'?"],
    ["echo", { id: "1", n: "x" }, "n"],
    ["secret", {}, "Prompt 'secret' not found."],
    ["write", {}, "Prompt 'write' not found."],
    ["gone", {}, "Prompt 'gone' not found."],
    ["broken", {}, "There is none."],
  ])("%s %j is refused", async (name, given, says) => {
    const asked = client.getPrompt({ name, arguments: { ...given } });
    await expect(asked).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(says) });
  });
});
