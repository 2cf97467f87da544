/** GraphQL APIs end to end: a schema, `generate`, and calls by an MCP client to a server that executes them. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, GraphQLError, getIntrospectionQuery, graphql, graphqlSync } from "graphql";
import { describe, expect, test } from "vitest";
import { type Answer, type Api, caller, startApi } from "../../../test/support/http-api.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../../../test/support/project.js";

const SDL = `
type User { id: ID!  name: String!  friends(first: Int = 2): [User!]!  broken: String }
input NewUser { name: String!  big: Float  note: String = "none" }
type Query { user(id: ID!): User  users(name: String, limit: Int = 3): [User!]! }
type Mutation { createUser(input: NewUser!): User!  fail: Int! }
`;

interface Given {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Arguments that may not be null: with defaults, and of a scalar of the API. */
const PRESENT_SDL = `
scalar Json
enum Order { NEW OLD }
input Range { from: Int! = 1  to: Int! }
type Query {
  page(first: Int! = 10, order: Order! = NEW, range: Range! = { to: 5 }, tags: [String!]! = ["a"], any: Json! = 5): String!
  note(value: Json!, other: Json): String!
}
`;

const user = (id: string, name: string) => ({ id, name, friends: [], broken: null });

/** What a server would do; a query that its schema does not allow is an error of GraphQL's own. */
const RESOLVERS = {
  user: ({ id }: { id: string }) => {
    if (id === "lost") throw new GraphQLError("no such user", { extensions: { code: "NOT_FOUND" } });
    return { ...user(id, "Ann"), ...(id === "odd" ? { broken: () => Promise.reject(new Error("torn")) } : {}) };
  },
  users: (args: object) => [user("1", JSON.stringify(args))],
  createUser: ({ input }: { input: object }) => user("2", JSON.stringify(input)),
  fail: () => Promise.reject(new Error("disk full")),
};

const answering =
  (sdl: string, rootValue: object): Answer =>
  async ({ body }, response) => {
    const { query, variables } = JSON.parse(body.toString()) as Given;
    const result = await graphql({
      schema: buildSchema(sdl),
      source: query,
      variableValues: variables,
      rootValue,
    });
    response.setHeader("content-type", "application/graphql-response+json; charset=utf-8");
    response.end(JSON.stringify(result));
  };

const answer = answering(SDL, RESOLVERS);

async function rootOf(api: Api, file = "api.graphql", text = SDL): Promise<string> {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  writeFileSync(join(root, "definitions", file), text);
  const entry = `{ graphql: ${file}, url: "${api.origin}/graphql", pack: api, auth: { headers: { X-Client: t } } }`;
  writeFileSync(join(root, "definitions", "toolwright.yaml"), `use: []\nsources: [${entry}]\n`);
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr);
  return root;
}

describe("a GraphQL API", () => {
  test("executes what ops send", { tags: "full" }, async () => {
    const api = await startApi({ "/graphql": answer });
    const call = await caller(await rootOf(api));
    expect((await call("api.user", { id: "7" })).result).toEqual({
      ...{ id: "7", name: "Ann", broken: null },
      friends: [],
    });
    expect((await call("api.users", { name: "é" })).result[0].name).toBe('{"name":"é","limit":3}');
    expect(JSON.parse(api.seen[1]?.body.toString() ?? "").variables).toEqual({ name: "é" });
    expect((await call("api.createUser", { input: { name: "Bo", note: null } })).result.name).toBe(
      '{"name":"Bo","note":null}',
    );
    expect(api.seen[2]).toMatchObject({
      method: "POST",
      url: "/graphql",
      headers: { "x-client": "t", "content-type": "application/json" },
    });
    expect((await call("api.user", {})).error.code).toBe("VALIDATION_ERROR");
    expect(api.seen).toHaveLength(3);
  });

  test("answers with errors: a code, a value with a warning, a write of unknown outcome", async () => {
    const api = await startApi({ "/graphql": answer });
    const call = await caller(await rootOf(api));
    expect((await call("api.user", { id: "lost" })).error).toMatchObject({
      code: "NOT_FOUND",
      details: { answer: "no such user" },
    });
    const partial = await call("api.user", { id: "odd" });
    expect(partial).toMatchObject({ ok: true, result: { id: "odd", broken: null } });
    expect(JSON.stringify(partial.meta.warnings)).toContain("partial: torn at user.broken");
    expect((await call("api.fail")).error).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
  });

  test.each(["api.graphql", "api.json"])(
    "fills in defaults of arguments that may not be null, as %s describes them; a scalar of its own refuses null where it must",
    async (file) => {
      const told = { page: (args: object) => JSON.stringify(args), note: (args: object) => JSON.stringify(args) };
      const api = await startApi({ "/graphql": answering(PRESENT_SDL, told) });
      const introspection = graphqlSync({ schema: buildSchema(PRESENT_SDL), source: getIntrospectionQuery() });
      const call = await caller(
        await rootOf(api, file, file.endsWith(".json") ? JSON.stringify(introspection) : PRESENT_SDL),
      );
      const asked = async (op: string, args: object) => JSON.parse((await call(op, args)).result);
      const defaults = { first: 10, order: "NEW", range: { from: 1, to: 5 }, tags: ["a"], any: 5 };
      expect(await asked("api.page", {})).toEqual(defaults);
      expect(await asked("api.page", { first: 3, range: { to: 9 } })).toEqual({
        ...{ ...defaults, first: 3 },
        range: { from: 1, to: 9 },
      });
      expect(await asked("api.note", { value: [null], other: null })).toEqual({ value: [null], other: null });
      for (const args of [{ value: null }, {}])
        expect((await call("api.note", args)).error.code).toBe("VALIDATION_ERROR");
      expect(api.seen).toHaveLength(3);
    },
  );

  test("may be described by the answer to an introspection query", { tags: "full" }, async () => {
    const api = await startApi({ "/graphql": answer });
    const introspection = graphqlSync({ schema: buildSchema(SDL), source: getIntrospectionQuery() });
    const call = await caller(await rootOf(api, "api.json", JSON.stringify(introspection)));
    expect((await call("api.user", { id: "7" })).result.name).toBe("Ann");
    expect((await call("api.createUser", { input: { name: "Bo" } })).result.name).toBe('{"name":"Bo","note":"none"}');
  });
});
