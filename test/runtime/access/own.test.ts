/** Private data of a caller: stored results and figures of its calls, which no other key sees. */

import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keysOfEveryGrant } from "../../support/keys.js";
import { CHECKOUT, generatedRoot, type Json, type Served, serve, temporaryFolder } from "../../support/project.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let sides: { readonly admin: Served; readonly write: Served; readonly read: Served; readonly local: Served };
let known: Awaited<ReturnType<typeof keysOfEveryGrant>>;

beforeAll(async () => {
  root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"), later);
  known = await keysOfEveryGrant(root);
  later(() => known.keys.close());
  const open = async (key: string): Promise<Served> => {
    const served = await serve(root, [], key === "" ? {} : { OUBLIETTE_API_KEY: key });
    later(() => served.close());
    return served;
  };
  const [admin, write, read, local] = await Promise.all(
    [known.admin.key, known.write.key, known.read.key, ""].map(open),
  );
  if (!admin || !write || !read || !local) throw new Error("not open");
  sides = { admin, write, read, local };
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const exec = async ({ call }: Served, op: string, args: object = {}): Promise<Json> =>
  (await call("tool_exec", { op, args })).value;

test("a stored result can be read by its creator and the owner of the machine: for others it does not exist", {
  timeout: SLOW,
}, async () => {
  const { content } = await sides.write.client.callTool({
    name: "run",
    arguments: { command: '"\\n".join(["secret line"] * 9000)' },
  });
  const [only] = content;
  const { handle } = JSON.parse(only?.type === "text" ? only.text : "{}");
  expect(handle).toMatch(/^[0-9a-f]{12}$/);
  const read = (side: Served, at = handle) => exec(side, "ot.result", { handle: at, limit: 1 });
  for (const side of [sides.write, sides.local]) expect((await read(side)).result.lines).toEqual(["secret line"]);
  const unknown = "0".repeat(12);
  for (const side of [sides.read, sides.admin]) {
    const { error } = await read(side);
    expect(error).toEqual(JSON.parse(JSON.stringify((await read(side, unknown)).error).replaceAll(unknown, handle)));
  }
});

test("the path of the project is shown to its owner and to an admin key only", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const cwd = async (side: Served): Promise<string> => (await exec(side, "ot.health")).result.cwd;
  for (const side of [sides.local, sides.admin]) expect(await cwd(side)).toBe(root);
  for (const side of [sides.write, sides.read]) expect(await cwd(side)).toBe(".");
});

test("where the paths of projects are for admin keys alone, code of others has no projects either", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const definitions = join(temporaryFolder(later), "definitions");
  cpSync(join(CHECKOUT, "test/support/demos/access-demo/definitions"), definitions, { recursive: true });
  const closed = "projects: { house: /srv/house }\nops: { path: { access: admin }, list: { access: admin } }\n";
  appendFileSync(join(definitions, "toolwright.yaml"), closed);
  const at = await generatedRoot(definitions, later);
  const keys = await keysOfEveryGrant(at);
  later(() => keys.keys.close());
  const told = async (key: string): Promise<string> => {
    const served = await serve(at, [], { OUBLIETTE_API_KEY: key });
    const answers = ["proj.house", 'getattr(proj, "house")', "proj.none"].map((command) =>
      served.client.callTool({ name: "run", arguments: { command } }),
    );
    const text = JSON.stringify(await Promise.all(answers));
    await served.close();
    return text;
  };
  const [admin, write] = [await told(keys.admin.key), await told(keys.write.key)];
  expect(admin.split("/srv/house")).toHaveLength(3);
  expect(write).toContain("name 'proj' is not defined");
  expect(write).not.toMatch(/srv|Projects: house/);
});

test("a key below admin sees the figures of its own calls, an admin key those of all", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  await exec(sides.admin, "vault.create_token", { name: "x" });
  await exec(sides.read, "vault.list_notes");
  await exec(sides.read, "vault.create_token", { name: "x" });
  const stats = async (side: Served, tool = "") => (await exec(side, "ot.stats", { tool })).result;
  const own = await stats(sides.read);
  const tools = own.tools.map(({ tool }: Json) => tool);
  expect(tools).toContain("vault.list_notes");
  expect(JSON.stringify(own)).not.toContain("create_token");
  expect((await stats(sides.write)).tools.map(({ tool }: Json) => tool)).not.toContain("vault.list_notes");
  expect(await stats(sides.write, "vault.create_token")).toMatchObject({
    total_calls: 0,
    tools: [],
    context_saved: null,
  });
  const all = await stats(sides.admin);
  expect(all.tools.map(({ tool }: Json) => tool)).toContain("vault.create_token");
  expect(all.total_calls).toBeGreaterThanOrEqual(1);
});
