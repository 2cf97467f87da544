/**
 * JSON-RPC frames with an extreme value in any field, as text: JSON that no serializer would write, and lines that are
 * not JSON.
 */

const nested = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels);

/** Values that numbers, strings and nesting of JSON allow at most, and some that it does not. */
const EXTREMES: readonly string[] = [
  ...["1e999", "-1e999", "-0", "0.0", "1e-400", "9007199254740993", "-9007199254740993", "18446744073709551616", "1.5"],
  ...["2147483648", "1E+2", "0e0", `1${"0".repeat(400)}`, `0.${"0".repeat(400)}1`, "NaN", "Infinity", "-", "01", "+1"],
  ...['""', '"1"', '" "', '"__proto__"', '"constructor"', '"toString"', '"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"'],
  ...['"\u2028"', '"\u{1f600}"', '"\\x"', `"${"x".repeat(3000)}"`, `"${"\\\\".repeat(3000)}"`, '"', "'x'", '"../../x"'],
  ...["null", "true", "false", "[]", "{}", "[[]]", "[null]", "[1,2,3]", "undefined", "", "[", "{", "]", "}"],
  ...['{"":0}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '{"a":1,"a":2}', '{"toString":1}'],
  ...['{"then":1}', '{"length":1e9}', '{"0":1,"00":2,"-0":3}', '{"toJSON":1,"valueOf":2}', '{"id":1e999}'],
  nested("[", "]", 79),
  nested("[", "]", 81),
  nested("[", "]", 2000),
  nested('{"a":', "}", 40).replace(":}", ":1}"),
  "[".repeat(3000),
  '{"a":'.repeat(3000),
  `[${"[],".repeat(2000)}[]]`,
  `{${Array.from({ length: 500 }, (_, i) => `"k${i}":${i}`).join()}}`,
];

const METHODS: readonly string[] = [
  ...[
    "ping",
    "initialize",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
  ],
  ...["resources/subscribe", "completion/complete", "logging/setLevel", "server/discover", "subscriptions/listen"],
  ...[
    "notifications/cancelled",
    "notifications/progress",
    "notifications/initialized",
    "notifications/roots/list_changed",
  ],
  ...[
    "oubliette_tools",
    "oubliette_call_tool",
    "oubliette_cancel",
    "caller_tool",
    "roots/list",
    "sampling/createMessage",
  ],
];

const FIELDS: readonly string[] = [
  ...[
    "name",
    "arguments",
    "uri",
    "level",
    "ref",
    "argument",
    "context",
    "cursor",
    "requestId",
    "progressToken",
    "progress",
  ],
  ...[
    "api_key",
    "tool",
    "timeout_ms",
    "idempotency_key",
    "view",
    "id",
    "protocolVersion",
    "capabilities",
    "clientInfo",
  ],
  ...["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities", "__proto__", ""],
];

const SOUND: Readonly<Record<string, readonly string[]>> = {
  name: ['"tool_exec"', '"tool_help"', '"tool_batch"', '"run"', '"explore"'],
  arguments: ['{"op":"demo.echo","args":{"text":"x"}}', '{"query":"x"}', '{"ops":[]}'],
  uri: ['"toolwright://help"', '"ot://instructions"'],
  ref: ['{"type":"ref/prompt","name":"explore"}', '{"type":"ref/resource","uri":"x"}'],
  argument: ['{"name":"x","value":""}'],
  level: ['"info"'],
  protocolVersion: ['"2025-06-18"', '"2026-07-28"'],
  "io.modelcontextprotocol/protocolVersion": ['"2026-07-28"'],
};

/** Makes frames; the same source of numbers makes the same frames. */
export function hostileFrames(random: () => number): () => Buffer {
  const at = (n: number): number => Math.floor(random() * n);
  const one = <T>(list: readonly T[]): T => list[at(list.length)] as T;
  const value = (field: string): string => (at(3) === 0 ? one(SOUND[field] ?? EXTREMES) : one(EXTREMES));
  const member = (field: string, text: string): string => `${JSON.stringify(field)}:${text}`;
  const members = (most: number): readonly string[] =>
    Array.from({ length: at(most) }, () => {
      const field = one(FIELDS);
      return member(field, value(field));
    });
  const params = (): string => {
    if (at(4) === 0) return one(EXTREMES);
    const meta = at(2) === 0 ? [member("_meta", at(3) === 0 ? one(EXTREMES) : `{${members(4).join()}}`)] : [];
    return `{${[...members(5), ...meta].join()}}`;
  };
  /** A member in so many of a hundred frames, extreme in so many of these. */
  const maybe = (present: number, extreme: number, field: string, sound: () => string): readonly string[] => {
    if (at(100) >= present) return [];
    return [member(field, at(100) < extreme ? one(EXTREMES) : sound())];
  };
  const envelope = (): string => {
    const parts = [
      ...maybe(100, 12, "jsonrpc", () => '"2.0"'),
      ...maybe(84, 50, "id", () => String(at(1000))),
      ...maybe(90, 12, "method", () => JSON.stringify(one(METHODS))),
      ...maybe(75, 0, "params", params),
      ...maybe(8, 100, "result", () => ""),
      ...maybe(8, 80, "error", () => '{"code":1e999,"message":7}'),
      ...maybe(8, 100, one(["id", "method", "params", "__proto__", ""]), () => ""),
    ];
    return `{${(at(3) === 0 ? parts.reverse() : parts).join(at(5) === 0 ? " , " : ",")}}`;
  };
  const kinds: readonly (() => string | Buffer)[] = [
    ...Array.from({ length: 12 }, () => envelope),
    () => one(EXTREMES),
    () => `[${Array.from({ length: at(6) }, envelope).join()}]`,
    () => envelope().slice(0, at(60)),
    () => Buffer.from(Array.from({ length: 1 + at(60) }, () => at(256))),
  ];
  return () => {
    const made = one(kinds)();
    const bytes = typeof made === "string" ? Buffer.from(made) : made;
    return bytes.map((byte) => (byte === 10 || byte === 13 ? 32 : byte)) as Buffer;
  };
}

const MB = 1_048_576;
/** Bodies of the size that a message may have at most, each of another kind of JSON that takes a parser, or what comes after it, long. */
export const LARGE_BODIES: readonly (readonly [what: string, body: string])[] = [
  ["lists in lists", "[".repeat(4 * MB)],
  ["objects in objects", '{"a":'.repeat((4 * MB) / 5)],
  ["closed lists in lists", nested("[", "]", 2 * MB)],
  ["short lists", `[${"[],".repeat((4 * MB) / 3 - 2)}[]]`],
  ["short objects", `[${"{},".repeat((4 * MB) / 3 - 2)}{}]`],
  ["numbers", `[${"0,".repeat(2 * MB - 2)}0]`],
  ["keys", `{${Array.from({ length: MB / 4 }, (_, i) => `"k${i}":0`).join()}}`],
  ["the same key", `{${'"a":0,'.repeat((4 * MB) / 6 - 1)}"a":0}`],
  ["one string", `"${"x".repeat(4 * MB - 2)}"`],
  ["escapes", `"${"\\u0041".repeat((4 * MB) / 6 - 1)}"`],
  ["backslashes", `"${"\\".repeat(4 * MB - 2)}"`],
  ["digits", "1".repeat(4 * MB)],
  ["spaces", `${" ".repeat(4 * MB - 1)}1`],
  ["a ping with as much as it may hold", around("ping", `{"a":{${distinct(12_000)}}}`)],
  ["unknown arguments of a tool", around("tools/call", `{"name":"tool_exec","arguments":{${distinct(12_000)}}}`)],
  ["unknown arguments of an op", exec(`{${distinct(12_000)}}`)],
  ["a list in place of a text", exec(`{"text":[${"1,".repeat(150_000)}1]}`)],
  ["objects in place of a text", exec(`{"text":[${'{"a":1},'.repeat(20_000)}1]}`)],
  ["a long text", exec(`{"text":"${"x".repeat(4 * MB - 200)}"}`)],
  [
    "a long op",
    around("tools/call", `{"name":"tool_exec","arguments":{"op":"${"a.".repeat(2 * MB - 200)}","args":{}}}`),
  ],
  ["a long tool", around("tools/call", `{"name":"${"t".repeat(4 * MB - 200)}","arguments":{}}`)],
  ["a long search", around("tools/call", `{"name":"tool_help","arguments":{"query":"${"word ".repeat(800_000)}"}}`)],
  ["a long path of help", around("tools/call", `{"name":"tool_help","arguments":{"path":"${"a.".repeat(MB)}"}}`)],
  ["a batch of as many ops", batch(8_000)],
  ["messages in one batch", `[${Array.from({ length: 12_000 }, (_, id) => `{"id":${id}}`).join()}]`],
  ["a long method", `{"jsonrpc":"2.0","id":1,"method":"${"m".repeat(4 * MB - 100)}"}`],
  ["a long id", `{"jsonrpc":"2.0","id":"${"i".repeat(4 * MB - 100)}","method":"ping"}`],
];

function distinct(count: number): string {
  return Array.from({ length: count }, (_, i) => `"text${i}":${i}`).join();
}

function around(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
}

function exec(args: string): string {
  return around("tools/call", `{"name":"tool_exec","arguments":{"op":"demo.echo","args":${args}}}`);
}

function batch(count: number): string {
  const ops = Array.from({ length: count }, (_, i) => `{"op":"demo.echo${i}","args":{}}`).join();
  return around("tools/call", `{"name":"tool_batch","arguments":{"ops":[${ops}]}}`);
}
