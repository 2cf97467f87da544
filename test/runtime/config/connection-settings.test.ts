/** Settings of connections: what cannot work is refused with its place and a remedy. */

import { expect, test } from "vitest";
import { type ConnectionsConfig, connectionPartsOf } from "../../../runtime/config/connection-settings.js";

const KEY = Buffer.alloc(32, 7).toString("base64");
const KEYS = { keys: [{ id: "k1", from: KEY }] };
const AUTH = { mode: "shared", issuer: "https://id.example.com", client: { id: "tools" } } as const;
const place = (...path: readonly (string | number)[]) => `toolwright.yaml:1:1(${path.join(".")})`;
const server = (change: object = {}, rest: object = {}): ConnectionsConfig => ({
  sources: [],
  servers: { github: { url: "https://api.example.com/mcp", auth: { ...AUTH, ...change }, ...rest } },
});
const source = (change: object): ConnectionsConfig => ({
  sources: [{ openapi: "a.json", pack: "api", auth: AUTH, ...change }],
});

test("a server is the resource of its own tokens; without connections there is nothing", () => {
  const parts = connectionPartsOf(server(), KEYS, place);
  expect(parts?.settings.get("github")).toMatchObject({ mode: "shared", resource: "https://api.example.com/mcp" });
  expect(parts?.keys).toEqual([{ id: "k1", key: Buffer.alloc(32, 7) }]);
  expect(connectionPartsOf({ sources: [{ openapi: "a.json", auth: { bearer: "x" } }] }, {}, place)).toBeUndefined();
});

test.each(["http://127.0.0.1:9/mcp", "http://[::1]:9/mcp", "http://localhost/mcp", "https://192.0.2.2/mcp", "${URL}"])(
  "a server at %s is called with tokens",
  (url) => {
    expect(connectionPartsOf(server({}, { url }), KEYS, place)?.settings.size).toBe(1);
  },
);

test.each<[string, ConnectionsConfig, object, RegExp]>([
  [
    "a server that is a command",
    server({}, { url: undefined }),
    KEYS,
    /servers\.github\.auth is for servers over HTTP/,
  ],
  [
    "a server over http on another machine",
    server({}, { url: "http://192.0.2.2:9999/mcp" }),
    KEYS,
    /sends its token to http:\/\/192\.0\.2\.2:9999 in clear: write an https url/,
  ],
  [
    "an API over http on another machine",
    source({ server: "http://192.0.2.2/api" }),
    KEYS,
    /sends its token to http:\/\/192\.0\.2\.2 in clear: write an https server/,
  ],
  ["a header beside it", server({}, { headers: { authorization: "x" } }), KEYS, /exclude each other/],
  ["no issuer", server({ issuer: undefined }), KEYS, /needs issuer: the https URL .* not ""/],
  ["an issuer without TLS", server({ issuer: "http://id.example.com" }), KEYS, /needs issuer/],
  ["no client", server({ client: undefined }), KEYS, /needs client\.id/],
  ["no secret", server({ mode: "client_credentials" }), KEYS, /needs client\.secret/],
  ["a parameter of the flow", server({ authorize_params: { state: "x" } }), KEYS, /sets state itself/],
  [
    "PKCE downgraded",
    server({ authorize_params: { code_challenge_method: "plain" } }),
    KEYS,
    /sets code_challenge_method/,
  ],
  ["a source of another kind", source({ openapi: undefined }), KEYS, /openapi or graphql/],
  ["a source without a pack", source({ pack: undefined }), KEYS, /names the connection/],
  ["a bearer token beside it", source({ auth: { ...AUTH, bearer: "x" } }), KEYS, /not both/],
  [
    "a name that is taken",
    { ...server(), sources: [{ openapi: "a.json", pack: "github", auth: AUTH }] },
    KEYS,
    /second connection/,
  ],
  ["no key", server(), {}, /state_encryption\.keys is missing.*openssl rand/],
  ["no public_url for the sign-ins of callers", server({ mode: "per_user" }), KEYS, /public_url is missing/],
  [
    "no public_url for the sign-in of a client that registers itself",
    server({ client: { register: true } }),
    KEYS,
    /public_url is missing/,
  ],
  [
    "tokens of callers that nobody comes with",
    server({ mode: "token_exchange" }),
    KEYS,
    /exchanges the tokens of callers at https:\/\/id\.example\.com: no feature takes tokens of callers/,
  ],
  [
    "a schedule, on which no caller comes",
    server({ mode: "token_exchange" }, { snapshot: { every: "6h" } }),
    KEYS,
    /remove snapshot\.every/,
  ],
  [
    "a document without TLS",
    server({ client: { metadata_url: "http://a.example.com" } }),
    KEYS,
    /auto or an https URL/,
  ],
  ["a short key", server(), { keys: [{ id: "k1", from: "c2hvcnQ=" }] }, /k1 is not 32 bytes/],
  ["a key that is no base64", server(), { keys: [{ id: "k1", from: "§".repeat(43) }] }, /k1 is not 32 bytes/],
  ["an id twice", server(), { keys: [...KEYS.keys, ...KEYS.keys] }, /has k1 twice/],
])("%s is refused", (_, config, encryption, message) => {
  const refused = () => connectionPartsOf(config, encryption, place);
  expect(refused).toThrow(message);
  expect(refused).toThrow(/^toolwright\.yaml:1:1/);
  expect(refused).not.toThrow(/c2hvcnQ=/);
});
