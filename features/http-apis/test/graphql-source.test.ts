/** GraphQL APIs: ops, arguments, selection sets and results. */

import { buildSchema, parse, validate } from "graphql";
import { describe, expect, test } from "vitest";
import type { HttpCall } from "../../../runtime/contract/http-call.js";
import { buildProject, type Project } from "../../../test/support/generator-host.js";

const SCHEMA = `
"A person."
type User implements Node { id: ID!  name: String!  email: String @deprecated(reason: "gone")  posts(first: Int = 10): PostConnection!  friend: User  avatar(size: Int!): String }
type Post implements Node { id: ID!  title: String  size: Int  author: User! }
type Note { id: ID!  text: String!  size: String }
type PostConnection { edges: [PostEdge!]!  pageInfo: PageInfo! }
type PostEdge { cursor: String!  node: Post }
type PageInfo { hasNextPage: Boolean!  endCursor: String }
interface Node { id: ID! }
union Found = Post | Note
enum Role { ADMIN GUEST }
scalar Date
input UserInput { name: String!  role: Role = GUEST  born: Date  tags: [String!]  boss: UserInput }
type Query {
  "One user."
  user(id: ID!): User
  users(first: Int = 20, role: Role, where: UserInput): [User!]!
  node(id: ID!): Node
  find(text: String!): [Found!]
  count: Int!
}
type Mutation { createUser(input: UserInput!): User!  count: Int }
type Subscription { userAdded: User }
`;

const project = (schema = SCHEMA, entry = ""): Project => ({
  "toolwright.yaml": `use: []\nsources:\n  - { graphql: api.graphql, url: "https://a.example/graphql", pack: p${entry} }\n`,
  "api.graphql": schema,
});

async function built(given: Project) {
  const { registry, diagnostics, files } = await buildProject(given);
  const calls: Readonly<Record<string, HttpCall>> = JSON.parse(
    files.find(({ path }) => path === "http/p.json")?.text ?? "{}",
  );
  const tool = (op: string) => registry?.tools.find((one) => one.op === op);
  const documentOf = (op: string) => (calls[op]?.graphql?.document ?? "").replace(/\s+/g, " ");
  const lines = diagnostics.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
  return { registry, tool, documentOf, lines };
}

test("the topic is the type that a field gives, without names of pages; none for scalars and answers of one mutation", async () => {
  const schema = `type Post { id: ID! } type PostConnection { nodes: [Post!]! } type AddPostPayload { post: Post }
type Query { post: Post  posts: PostConnection!  list: [Post!]!  count: Int! }  type Mutation { addPost: AddPostPayload }`;
  const { registry } = await built(project(schema));
  const topics = registry?.tools.flatMap((one) => (one.group === "p" ? [[one.tool_name, one.topic]] : []));
  expect(Object.fromEntries(topics ?? [])).toEqual({
    add_post: undefined,
    count: undefined,
    list: "post",
    post: "post",
    posts: "post",
  });
});

test("queries are reads, mutations writes; what is left out is counted", async () => {
  const { registry, lines } = await built(project());
  expect(registry?.tools.map(({ op, kind, description }) => `${op} ${kind} ${description}`)).toEqual([
    "p.count read The query count.",
    "p.createUser write The mutation createUser.",
    "p.find read The query find.",
    "p.mutation_count write The mutation count.",
    "p.node read The query node.",
    "p.user read One user.",
    "p.users read The query users.",
  ]);
  expect(lines).toEqual([
    "1:1 api-left-out definitions/api.graphql describes more than its ops give: 1 subscription (userAdded)",
    "22:55 kind-differs p.mutation_count is write by its source, although its name says read (verb count, the last word, behind mutation)",
  ]);
});

test("arguments are typed", async () => {
  const { tool } = await built(project());
  expect(tool("p.users")?.parameters_schema).toEqual({
    type: "object",
    properties: {
      first: { type: ["integer", "null"], minimum: -2147483648, maximum: 2147483647, default: 20 },
      role: { type: ["string", "null"], enum: ["ADMIN", "GUEST", null] },
      where: { anyOf: [{ $ref: "#/$defs/UserInput" }, { type: "null" }] },
    },
    additionalProperties: false,
    $defs: {
      UserInput: {
        type: "object",
        properties: {
          name: { type: "string" },
          role: { type: ["string", "null"], enum: ["ADMIN", "GUEST", null], default: "GUEST" },
          born: { description: "A Date." },
          tags: { type: ["array", "null"], items: { type: "string" } },
          boss: { anyOf: [{ $ref: "#/$defs/UserInput" }, { type: "null" }] },
        },
        required: ["name"],
        additionalProperties: false,
      },
    },
  });
  expect(tool("p.createUser")?.parameters_schema["required"]).toEqual(["input"]);
});

test("fields that differ in case only each have an op, named at its place; arguments that do are both kept", async () => {
  const schema = `type Query {
  userID: Int
  userId: Int
  other(userID: ID!, userId: ID): Int
}
type Mutation { from: Int  from_: Int }`;
  const { registry, lines, tool } = await built(project(schema));
  expect(registry?.tools.map(({ op, tool_name }) => [op, tool_name])).toEqual([
    ["p.from_", "from_"],
    ["p.from__2", "from"],
    ["p.other", "other"],
    ["p.userID", "userID"],
    ["p.userId_2", "userId"],
  ]);
  expect(tool("p.other")?.parameters.map(({ original, name }) => [original, name])).toEqual([
    ["userID", "userID"],
    ["userId", "userId"],
  ]);
  expect(lines.filter((one) => one.includes("op-"))).toEqual([
    "3:3 op-numbered p.userId is the op of userID, so p/userId is p.userId_2",
    "6:17 op-numbered p.from_ is the op of from_, so p/from is p.from__2",
  ]);
  const named = project(schema);
  const files = { ...named, "toolwright.yaml": `${named["toolwright.yaml"]}ops: { userId: { op: p.user.second } }\n` };
  expect((await built(files)).tool("p.user.second")?.tool_name).toBe("userId");
});

describe("selection sets", () => {
  test("hold what needs no argument, to a depth; connections cost no level", async () => {
    const { documentOf } = await built(project());
    expect(documentOf("p.user")).toBe(
      "query user($id: ID!) { user(id: $id) { id name posts { edges { cursor node { id title size } } pageInfo { hasNextPage endCursor } } friend { id name } } }",
    );
    expect(documentOf("p.count")).toBe("query count { count }");
    expect(documentOf("p.createUser")).toMatch(
      /^mutation createUser\(\$input: UserInput!\) \{ createUser\(input: \$input\) \{/,
    );
    const shallow = await built(project(SCHEMA, ", depth: 1"));
    expect(shallow.documentOf("p.users")).toMatch(/\) \{ id name \} \}$/);
  });

  test("of interfaces and unions hold each type, with an alias where two fields clash", async () => {
    const { documentOf } = await built(project());
    expect(documentOf("p.find")).toBe(
      "query find($text: String!) { find(text: $text) { __typename ... on Post { id title size author { id name } } ... on Note { id text size_Note: size } } }",
    );
    expect(documentOf("p.node")).toContain("{ __typename id ... on User { name");
  });

  test("are valid at every depth", { tags: "full" }, async () => {
    const schema = buildSchema(SCHEMA);
    for (const depth of [0, 1, 2, 3, 5, 8]) {
      const { registry, documentOf } = await built(project(SCHEMA, `, depth: ${depth}`));
      expect(registry?.tools).toHaveLength(7);
      for (const { op } of registry?.tools ?? []) expect(validate(schema, parse(documentOf(op)))).toEqual([]);
    }
  });

  test("may be given, and are the result", async () => {
    const { documentOf, tool } = await built(project(SCHEMA, `, selections: { user: "id first: name friend { id }" }`));
    expect(documentOf("p.user")).toBe("query user($id: ID!) { user(id: $id) { id first: name friend { id } } }");
    expect(tool("p.user")?.result_schema).toEqual({
      type: ["object", "null"],
      properties: {
        id: { type: "string" },
        first: { type: "string" },
        friend: { type: ["object", "null"], properties: { id: { type: "string" } }, required: ["id"] },
      },
      required: ["id", "first", "friend"],
    });
  });

  test.each<readonly [string, string, string]>([
    [
      "an unknown field",
      `selections: { user: "idd" }`,
      '3:5 selection-invalid the selection set of user is invalid: Cannot query field "idd" on type "User". Did you mean "id"?',
    ],
    [
      "no selection set",
      `selections: { user: "{" }`,
      '3:5 selection-invalid the selection set of user is invalid: Syntax Error: Expected Name, found "{".',
    ],
    [
      "two documents",
      `selections: { user: "id } query { count" }`,
      "3:5 selection-invalid the selection set of user is invalid: it is more than one selection set",
    ],
    [
      "no such query",
      `selections: { usr: "id" }`,
      "3:5 selection-unmatched selections.usr is for no query or mutation of definitions/api.graphql",
    ],
  ])("that are wrong are errors: %s", async (_, entry, line) => {
    const { registry, lines } = await built(project(SCHEMA, `, ${entry}`));
    expect(registry).toBeUndefined();
    expect(lines).toContain(line);
  });
});

describe("schemas", () => {
  test.each<readonly [string, string, string]>([
    [
      "no GraphQL",
      "type Query {\n  a: ",
      "2:6 graphql-invalid this is no GraphQL schema: Syntax Error: Expected Name, found <EOF>.",
    ],
    [
      "an unknown type",
      "type Query {\n  a: Nope\n}",
      '1:1 graphql-invalid this is no GraphQL schema: Unknown type: "Nope".',
    ],
    [
      "no query",
      "type A { a: Int }",
      "1:1 graphql-invalid this is no GraphQL schema: Query root type must be provided.",
    ],
    [
      "nesting",
      `type Query { a: ${"[".repeat(100_000)}`,
      "1:1 graphql-invalid this is no GraphQL schema: it nests too deeply",
    ],
    ["JSON that is no introspection", "{}", "1:1 graphql-invalid"],
  ])("that are wrong are errors at their place: %s", async (_, text, line) => {
    const { registry, lines } = await built(project(text));
    expect(registry).toBeUndefined();
    expect(lines[0]).toContain(line);
  });

  test("an address is needed, a literal credential reported", async () => {
    const without = { ...project(), "toolwright.yaml": "use: []\nsources: [{ graphql: api.graphql }]\n" };
    expect((await built(without)).lines).toEqual([
      "2:11 config-invalid sources.0.url must be set, since a GraphQL schema holds no address, got nothing",
    ]);
    const { lines } = await built(project("type Query { a: Int }", ", auth: { bearer: abc }"));
    expect(lines.map((one) => one.split(" ")[1])).toEqual(["credential-literal"]);
  });
});
