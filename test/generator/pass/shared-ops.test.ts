/** Tools that claim one op: which keeps it, and what a build says if an op would move to another tool since the last build. */

import { describe, expect, test } from "vitest";
import { buildProject, errorsOf, type Project } from "../../support/generator-host.js";

const servers = (names: readonly string[], config = ""): Project => ({
  "toolwright.yaml": `use: []\nsources: [{ mcp: servers/*.json }]\n${config}`,
  "servers/s.json": JSON.stringify({
    tools: names.map((name) => ({ name, description: "Get it.", inputSchema: { type: "object" } })),
  }),
});

/** Builds, and builds again with other tools and what the first build wrote. */
async function rebuilt(before: readonly string[], after: readonly string[], config = "") {
  const first = await buildProject(servers(before));
  const committed = first.files.find(({ path }) => path === "registry.json")?.text ?? "";
  return buildProject({ ...servers(after, config), "../generated/registry.json": committed });
}

const opsOf = ({ registry }: Awaited<ReturnType<typeof rebuilt>>) =>
  Object.fromEntries((registry?.tools ?? []).map(({ op, tool_name }) => [op, tool_name]));

describe("a tool that appears", () => {
  test.each([
    [["get_user"], "get-user"],
    [["get_user"], "get.user"],
    [["list_items"], "list items"],
    [["getuser"], "getUser"],
    [["get_user"], "Get_User"],
    [["get_user", "get-user"], "get.user"],
  ])("%j keep their ops beside %j", async (before, newcomer) => {
    const ops = opsOf(await rebuilt(before, [newcomer, ...before]));
    expect(ops).toMatchObject(opsOf(await rebuilt(before, before)));
    expect(Object.values(ops)).toContain(newcomer);
  });

  test.each([
    [["get-user"], "get_user", "s.get_user"],
    [["get-user"], "get user", "s.get_user"],
    [["getUser"], "getuser", "s.getUser"],
    [["Get_User"], "get_user", "s.Get_User"],
    [["Get_User"], "GET_USER", "s.Get_User"],
    [["get_user", "get-user"], "GET_USER", "s.get_user_2"],
    [["get_user", "get-user"], "get_user_2", "s.get_user_2"],
    [["get_user", "get-user"], "get user", "s.get_user_2"],
  ])("%j: %j would take %s, so nothing is written, and the line to pin it is said", async (before, newcomer, op) => {
    const build = await rebuilt(before, [...before, newcomer]);
    const [loser = ""] = before.slice(-1);
    expect(build.files).toEqual([]);
    expect(errorsOf(build.diagnostics)[0]).toContain(`gives ${op} to s/${loser}; s/${newcomer} would take it`);
    const pin = (build.diagnostics.find(({ code }) => code === "op-moved")?.fix ?? "").matchAll(
      /"[^"]+": \{ op: \S+ \}/g,
    );
    const [keep, move] = [...pin].map(([line]) => `ops: { ${line} }\n`);
    expect(opsOf(await rebuilt(before, [...before, newcomer], keep))).toMatchObject({ [op]: loser });
    const moved = opsOf(await rebuilt(before, [...before, newcomer], move));
    expect(Object.entries(moved)).toContainEqual([expect.stringMatching(new RegExp(`^${op}$`, "i")), newcomer]);
  });

  test("takes the op of a tool that is gone", async () =>
    expect(opsOf(await rebuilt(["get-user"], ["get_user"]))).toEqual({ "s.get_user": "get_user" }));

  test("gives the same files without those of the last build", async () => {
    const names = ["get_user", "get-user", "get.user"];
    expect((await rebuilt(names, names)).files).toEqual((await buildProject(servers(names))).files);
  });
});

test("a typed tool that is renamed by another server's tool is named, with the line that keeps its name", async () => {
  const project = (names: readonly string[], config = "", expose = "expose: { gateway: false }\n"): Project => ({
    "toolwright.yaml": `use: []\nsources: [{ mcp: servers/*.json }]\n${expose}${config}`,
    ...Object.fromEntries(
      names.map((name) => [
        `servers/${name}.json`,
        JSON.stringify({ tools: [{ name: "get_a", description: "Get it.", inputSchema: { type: "object" } }] }),
      ]),
    ),
  });
  const first = await buildProject(project(["a"]));
  const committed = {
    "../generated/registry.json": first.files.find(({ path }) => path === "registry.json")?.text ?? "",
  };
  const moved = ({ diagnostics }: Awaited<ReturnType<typeof buildProject>>) =>
    diagnostics.filter(({ code }) => code === "typed-tool-moved");
  const both = await buildProject({ ...project(["a", "b"]), ...committed });
  const [said, ...more] = moved(both);
  expect([
    said?.message.includes("a.get_a as the tool get_a, which is called a_get_a now, since b.get_a"),
    more,
  ]).toEqual([true, []]);
  const [line = ""] = /"b\/get_a": \{ hidden: true \}/.exec(said?.fix ?? "") ?? [];
  expect(moved(await buildProject({ ...project(["a", "b"], `ops: { ${line} }\n`), ...committed }))).toEqual([]);
  const hot = await buildProject({ ...project(["a", "b"], "expose: { hot: [a.get_a, b.get_a] }\n", ""), ...committed });
  expect(moved(hot)[0]?.fix).toContain('and take "b.get_a" out of `expose.hot`; otherwise');
  const next = both.files.find(({ path }) => path === "registry.json")?.text ?? "";
  expect(moved(await buildProject({ ...project(["a", "b"]), "../generated/registry.json": next }))).toEqual([]);
});
