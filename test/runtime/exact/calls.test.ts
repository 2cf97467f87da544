/**
 * Exact numbers and key order between upstream servers of every kind, dispatch, batch, ledger and `run`.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SuccessEnvelope } from "../../../runtime/contract/error-body.js";
import { writeJson } from "../../../runtime/contract/exact-number.js";
import { readJson } from "../../../runtime/contract/read-json.js";
import { localPrincipal } from "../../../runtime/gateway/gateway.js";
import { awkwardJson, awkwardObject } from "../../support/exact/awkward.js";
import { exactWorld, type World } from "../../support/exact/world.js";
import { type Opened, openRoot } from "../../support/open-root.js";
import type { Json } from "../../support/project.js";
import { runs } from "../../support/random.js";

const SLOW = 300_000;
/** What JavaScript changes, of every kind. */
const AWKWARD =
  '{"id":9007199254740993,"price":10.0,"by":{"b":1,"2024":2,"10":-0.0},"list":[1e400,1E5,123456789012345678901234567890,{"9":1,"x":0,"8":2}]}';

const finished: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of finished.reverse()) await close();
}, SLOW);
const later = (close: () => unknown): void => void finished.push(close);

let world: World;
let opened: Opened;
beforeAll(async () => {
  world = await exactWorld(later);
  opened = await openRoot(world.root, "", later);
}, SLOW);

/** The result of a call as JSON. */
async function resultOf(op: string, args: unknown, more: object = {}): Promise<string> {
  const envelope = await opened.gateway.dispatch({ op, args, ...more }, localPrincipal(opened.project.settings));
  if (!envelope.ok) throw new Error(writeJson(envelope.error));
  return writeJson(envelope.result);
}

/** What a call sent, as the server read it. */
const wireOf = async (op: string, args: unknown): Promise<string> => JSON.parse(await resultOf(op, args)).wire;

const SERVERS = ["raw", "web", "events"] as const;

describe("a call", { timeout: SLOW }, () => {
  test.each(SERVERS)("%s: structured content and text that is JSON come through as they were sent", async (server) => {
    expect(await resultOf(`${server}.say`, { text: AWKWARD })).toBe(AWKWARD);
    expect(await resultOf(`${server}.tell`, { text: AWKWARD })).toBe(AWKWARD);
    for (const text of ["[10.0]", "[9007199254740993]", "[-0]", "[]"])
      expect(await resultOf(`${server}.tell`, { text })).toBe(text);
    expect(await resultOf(`${server}.tell`, { text: "10.0" })).toBe('"10.0"');
    await fc.assert(
      fc.asyncProperty(awkwardObject(3), async (text) => {
        expect(await resultOf(`${server}.say`, { text })).toBe(text);
        expect(await resultOf(`${server}.tell`, { text })).toBe(text);
      }),
      runs(200),
    );
  });

  test.each(SERVERS)("%s: arguments reach the server as they were sent", async (server) => {
    expect(await wireOf(`${server}.echo`, readJson(AWKWARD))).toBe(AWKWARD);
    await fc.assert(
      fc.asyncProperty(awkwardJson(3), async (text) => {
        expect(await wireOf(`${server}.echo`, readJson(`{"value":${text}}`))).toBe(`{"value":${text}}`);
      }),
      runs(200),
    );
  });

  test("an HTTP API: answer, body, path and query", async () => {
    world.api.answer = AWKWARD;
    expect(await resultOf("api.listItems", readJson('{"after":9007199254740993}'))).toBe(AWKWARD);
    expect(world.api.url).toBe("/api/items?after=9007199254740993");
    const body = '{"value":{"b":10.0,"2024":[9007199254740993]},"amount":1.0}';
    await resultOf("api.putItem", readJson(`{"id":9007199254740993,${body.slice(1)}`));
    expect(world.api.url).toBe("/api/items/9007199254740993");
    expect(world.api.body).toBe(body);
    for (const answer of ["10.0", "9007199254740993", '"text"']) {
      world.api.answer = answer;
      expect(await resultOf("api.listItems", {})).toBe(answer);
    }
  });

  test.each([
    [{ id: "9007199254740993" }, true],
    [{ id: "1.0" }, true],
    [{ id: "1e3" }, true],
    [{ id: "9007199254740992.5" }, false],
    [{ id: "1.00000000000000000001" }, false],
    [{ even: "9007199254740994" }, true],
    [{ even: "9007199254740993" }, false],
    [{ even: "123456789012345678901234567890" }, true],
    [{ most: "5.0" }, true],
    [{ most: "5.00000000000000000001" }, false],
    [{ most: "9007199254740993" }, false],
  ])("a validator judges the exact number: %o is taken: %s", async (args, isTaken) => {
    const [[name, text]] = Object.entries(args) as [[string, string]];
    const envelope = await opened.exec("raw.echo", readJson(`{"${name}":${text}}`) as never);
    expect([envelope.ok, "error" in envelope && envelope.error.code]).toEqual([
      isTaken,
      !isTaken && "VALIDATION_ERROR",
    ]);
    if (!("error" in envelope)) return;
    expect(envelope.error.details).toMatchObject({ field_errors: [{ path: name, received: text }] });
  });

  test("a function of the project gets plain numbers, and the caller is told which one was changed", async () => {
    const envelope = (await opened.exec(
      "plain.given",
      readJson('{"id":9007199254740993}') as never,
    )) as SuccessEnvelope;
    expect(envelope.result).toEqual({ id: 9007199254740992, kind: "number" });
    expect(envelope.meta.warnings).toEqual([
      "number_rounded: id 9007199254740993 was read as 9007199254740992; send it as text if every digit counts",
    ]);
    const whole = (await opened.exec("plain.given", readJson('{"id":10.0}') as never)) as SuccessEnvelope;
    expect(whole).toMatchObject({ result: { id: 10, kind: "number" }, meta: { warnings: [] } });
  });

  test.each(["1e999", "-1e400"])(
    "a function of the project never gets %s, which is near to no number",
    async (text) => {
      const envelope = await opened.exec("plain.anything", readJson(`{"value":{"deep":[${text}]}}`) as never);
      expect(envelope).toMatchObject({
        ok: false,
        error: { code: "VALIDATION_ERROR", details: { field_errors: [{ path: "value.deep[0]", received: text }] } },
      });
    },
  );

  test("batch: references to members of earlier results, numbers and objects", async () => {
    const { gateway } = opened;
    const ops = [
      { id: "a", op: "raw.say", args: { text: AWKWARD } },
      {
        op: "web.echo",
        args: readJson(
          '{"value":{"z":{"$ref":"a#/result/id"},"1":{"$ref":"a#/result/by"},"0":{"$ref":"a#/result/list/2"}}}',
        ),
      },
    ];
    const answer = (await gateway.batch({ ops }, localPrincipal(opened.project.settings))) as Json;
    expect(writeJson(answer)).toContain(`"result":${AWKWARD}`);
    expect(answer.results[1].result.wire).toBe(
      '{"value":{"z":9007199254740993,"1":{"b":1,"2024":2,"10":-0.0},"0":123456789012345678901234567890}}',
    );
  });

  test("ledger: the answer is replayed as it was, and arguments that differ in the last digit are others", async () => {
    const more = { idempotency_key: "one" };
    const sent = '{"id":9007199254740993,"price":10.0}';
    const first = await resultOf("raw.put", readJson(sent), more);
    expect(await resultOf("raw.put", readJson('{"price":1e1,"id":9007199254740993}'), more)).toBe(first);
    await expect(resultOf("raw.put", readJson('{"id":9007199254740992,"price":10.0}'), more)).rejects.toThrow(
      "different_arguments",
    );
    const kept = { idempotency_key: "two" };
    expect(await resultOf("raw.put", { text: AWKWARD }, kept)).toBe(await resultOf("raw.put", { text: AWKWARD }, kept));
  });
});

describe("run", { timeout: SLOW }, () => {
  const run = (code: string): Promise<string> => opened.run(code);

  test("an answer is what json.loads makes of it", { tags: "full" }, async () => {
    expect(
      await run(`x = raw.say(text=${JSON.stringify(AWKWARD)})
print(type(x["id"]).__name__, x["id"] + 1, type(x["price"]).__name__, x["price"], list(x["by"]), list(x["list"][3]))
print(type(x["list"][1]).__name__, x["list"][2] % 1000, str(x["by"]["10"]))`),
    ).toBe("int 9007199254740994 float 10.0 ['b', '2024', '10'] ['9', 'x', '8']\nfloat 890 -0.0");
    expect(await run("[web.tell(text='10.0'), events.tell(text='9007199254740993'), raw.tell(text='-0')]")).toBe(
      "[10.0,9007199254740993,0]",
    );
  });

  test("what a program passes on reaches the server", async () => {
    expect(
      await run(`x = raw.say(text=${JSON.stringify(AWKWARD)})
x["list"] = x["list"][1:]
web.echo(value=x, id=x["id"], other=[1.0, 1, x["price"], -0.0, 2**70, {"1": 2.0, "0": 1}], plain=3.0)["wire"]`),
    ).toBe(
      '{"value":{"id":9007199254740993,"price":10.0,"by":{"b":1,"2024":2,"10":-0.0},"list":[100000.0,123456789012345678901234567890,{"9":1,"x":0,"8":2}]},"id":9007199254740993,"other":[1.0,1,10.0,-0.0,1180591620717411303424,{"1":2.0,"0":1}],"plain":3.0}',
    );
  });

  test.each([
    ["one call as the argument of another", "web.echo(value=raw.tell(text='[10.0]'))['wire']", '{"value":[10.0]}'],
    ["arguments in a dict", "web.echo(**{'value': 10.0})['wire']", '{"value":10.0}'],
    ["a tuple and a set", "web.echo(value=(1.0, {2.0}))['wire']", '{"value":[1.0,[2.0]]}'],
    ["a large float", "web.echo(value=1e20)['wire']", '{"value":1e+20}'],
    ["a name for a pack", "r = raw\nr.tell(text='10.0')", "10.0"],
    ["a call in a loop", "[raw.tell(text=t) for t in ['1.0', '2', '3.0']]", '["1.0","2","3.0"]'],
    ["a call in a function", "def f(t):\n    return raw.tell(text=t)\n[f('1.0'), f('2')]", '["1.0","2"]'],
    ["a call that is awaited", "await raw.tell(text='1.0')", "1.0"],
    ["a trailing comma", "raw.tell(text='1.0',)", "1.0"],
    [
      "ot.batch",
      "ot.batch(calls=[('raw.tell', {'text': '1.0'}), ('web.echo', {'value': 9007199254740993})])[0]",
      "1.0",
    ],
    ["a function of the project", "plain.given(id=10.0)", '{"id":10,"kind":"number"}'],
  ])("answers with numbers as they came: %s", { tags: "slow" }, async (_, code, reply) => {
    expect(await run(code)).toBe(reply);
  });

  test("a function of the project cannot take a number that JavaScript changes, and the program gets an error", async () => {
    expect(await run("plain.given(id=9007199254740993)")).toContain(
      "ValueError: plain.given() argument 'id' is an integer beyond 2**53, which this tool cannot take: send it as text",
    );
  });

  test.each(["10**23", "10**40", "-10**40", "3 * 10**30"])(
    "not even %s, whose shortest text has the same digits",
    async (integer) => {
      expect(await run(`plain.given(id=${integer})`)).toContain(
        "is an integer beyond 2**53, which this tool cannot take",
      );
    },
  );

  test.each([
    ["a text", `ord(raw.say(text='"' + chr(92) + 'ud800"'))`],
    ["a text in a list", `ord(raw.say(text='["' + chr(92) + 'ud800"]')[0])`],
    ["a key", `ord(list(raw.say(text='{"' + chr(92) + 'ud800":1}'))[0])`],
  ])("half a character in %s is what was sent", { tags: "full" }, async (_, code) => {
    expect(await run(code)).toBe("55296");
  });

  test("every format", { tags: "full" }, async () => {
    const code = (format: string) =>
      `__format__ = "${format}"\nraw.say(text='{"b":9007199254740993,"2024":10.0,"10":1}')`;
    expect(await run(code("json"))).toBe('{"b":9007199254740993,"2024":10.0,"10":1}');
    expect(await run(code("json_h"))).toBe('{\n  "b": 9007199254740993,\n  "2024": 10.0,\n  "10": 1\n}');
    expect(await run(code("yml"))).toBe(`{b: 9007199254740993, '2024': 10.0, '10': 1}`);
    expect(await run(code("yml_h"))).toBe(`b: 9007199254740993\n'2024': 10.0\n'10': 1`);
    expect(await run(code("raw"))).toBe("{'b': 9007199254740993, '2024': 10.0, '10': 1}");
  });

  test("a result that is stored holds what was sent", async () => {
    const row = '{"id":9007199254740993,"price":10.0,"b":1,"2024":2}';
    const reply = await run(`raw.say(text='{"rows":[${Array.from({ length: 2000 }, () => row).join(",")}]}')`);
    const { handle } = JSON.parse(reply);
    const text = readFileSync(join(world.root, ".onetool", "tmp", `result-${handle}.txt`), "utf8");
    expect(writeJson(readJson(text))).toContain(row);
    expect(await run(`ot.result(handle='${handle}', offset=1, limit=9)`)).toContain("9007199254740993");
  });

  test("any value: read from one server and passed to another", async () => {
    await fc.assert(
      fc.asyncProperty(awkwardJson(3), async (text) => {
        fc.pre(!/e\+?\d{3}/i.test(text));
        const wire = await run(
          `web.echo(value=raw.say(text=${JSON.stringify(JSON.stringify({ text }))})["text"] and raw.tell(text=${JSON.stringify(`[${text}]`)})[0])["wire"]`,
        );
        const python = (value: unknown): string => canonicalPython(readJson(writeJson(value)));
        expect(python(readJson(wire))).toBe(python(readJson(`{"value":${text}}`)));
      }),
      runs(100),
    );
  });
});

/** JSON of a value with its numbers as Python reads and writes them: integers as they are, floats by their value. */
function canonicalPython(value: unknown): string {
  return writeJson(value).replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => {
    if (token.startsWith('"')) return token;
    return /[.eE]/.test(token) ? `float:${Number(token)}` : String(BigInt(token));
  });
}
