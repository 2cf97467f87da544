/** The same programs in both languages, through a gateway: the same calls, results, error codes, pauses and limits. */

import { expect, onTestFinished, test } from "vitest";
import { keep, query, result } from "../../../definitions/packs/ot.js";
import { fail, type JsonObject } from "../../../runtime/codegen.js";
import { ExactNumber } from "../../../runtime/contract/exact-number.js";
import type { LanguageRows } from "../../../runtime/run/languages/table.js";
import { type FixtureOptions, fixture, handler, principal } from "../../../test/runtime/gateway/fixture.js";
import { toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { LENT_LANGUAGES } from "../../../test/runtime/gateway/lent-engines.js";
import { onBoth, SLOW } from "../../../test/runtime/run/kept/databases.js";
import { runSettings, sharedLanguage, WITH_LANGUAGES } from "../../../test/support/run/languages.js";

const languages: LanguageRows = [...LENT_LANGUAGES, sharedLanguage("typescript")];

const TASKS = ["todo", "done", "todo", "blocked", "done"].map((state_key, place) => ({
  id: `task_${place + 1}`,
  title: `Task ${place + 1}`,
  ...{ state_key, points: place * 1.5, big: new ExactNumber(String(2n ** 60n + BigInt(place))) },
}));

const shipped = { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" } as const;
const anyOf = (...names: readonly string[]) =>
  ({ type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) }) as never;
const MORE = [
  toolOf({ op: "ot.keep", tool: "ot_keep", kind: "read", schema: anyOf("value"), extra: shipped }),
  toolOf({ op: "ot.query", tool: "ot_query", kind: "read", schema: anyOf("handle", "sql", "rows"), extra: shipped }),
];

interface Service {
  readonly calls: (readonly [op: string, args: JsonObject])[];
  most: number;
}

function handlersOf(service: Service): NonNullable<FixtureOptions["handlers"]> {
  let open = 0;
  const op = (name: string, answer: (args: JsonObject, signal: AbortSignal) => unknown) =>
    handler(async (args, { signal }) => {
      service.calls.push([name, args]);
      service.most = Math.max(service.most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 1));
      try {
        return await answer(args, signal);
      } finally {
        open--;
      }
    });
  return {
    "onto.task.list": {
      exactNumbers: true,
      run: op("list", ({ limit, state_key }) => ({
        items: TASKS.filter((one) => state_key === undefined || one.state_key === state_key).slice(0, Number(limit)),
      })),
    } as never,
    "onto.task.create": op("create", ({ title }) => ({ id: `task_${service.calls.length}`, title })),
    "onto.task.delete": op("delete", ({ task_id }) => ({ deleted: task_id })),
    "onto.task.update": op("update", () => fail("CONFLICT", "somebody else has changed it")),
    "onto.task.search": op("search", () => fail("NOT_FOUND", "no such list", { upstream: { order: 7 } })),
    "onto.search": op("find", ({ query }) => [query, null, true, 1.5]),
    "util.echo.open": op("echo", ({ text }) => ({ text })),
    "util.web.search": op("web", () => fail("UNAVAILABLE", "the service is down")),
    "util.web.visit": op(
      "visit",
      (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", reject)),
    ),
    "ot.keep": { run: keep, exactNumbers: true, inPreview: "skip" } as never,
    "ot.result": { run: result } as never,
    "ot.query": { run: query, exactNumbers: true } as never,
  };
}

interface More {
  readonly limits?: Readonly<Record<string, number>>;
  /** Compared are the forms of both answers alone: their words are each language's own. */
  readonly own?: true;
  readonly isError?: true;
}
type Scenario = readonly [name: string, python: string, typescript: string, gives: string | RegExp, more?: More];

const FAILED: More = { own: true, isError: true };
const limited = (limits: More["limits"]): More => ({ ...FAILED, ...(limits ? { limits } : {}) });

const SCENARIOS: readonly Scenario[] = [
  ["a value", "1 + 1", "1 + 1", "2"],
  ["nothing", "x = 1", "const x = 1", /no return value|^$|OK/],
  [
    "one call",
    "onto.task.list(limit=1)['items'][0]['title']",
    "(await onto.task.list({ limit: 1 })).items[0].title",
    "Task 1",
  ],
  [
    "a filter",
    "[t['id'] for t in onto.task.list()['items'] if t['state_key'] == 'todo']",
    "(await onto.task.list()).items.filter((t) => t.state_key === 'todo').map((t) => t.id)",
    '["task_1","task_3"]',
  ],
  [
    "a filter of the service",
    "len(onto.task.list(state_key='done', limit=50)['items'])",
    "(await onto.task.list({ state_key: 'done', limit: 50 })).items.length",
    "2",
  ],
  [
    "a value that is corrected",
    "len(onto.task.list(state_key='completed')['items'])",
    "(await onto.task.list({ state_key: 'completed' })).items.length",
    "2",
  ],
  [
    "a whole answer",
    "onto.task.list(limit=1)",
    "await onto.task.list({ limit: 1 })",
    '{"items":[{"id":"task_1","title":"Task 1","state_key":"todo","points":0,"big":1152921504606846976}]}',
  ],
  [
    "an integer beyond 2^53",
    "onto.task.list(limit=2)['items'][1]['big'] + 1",
    "(await onto.task.list({ limit: 2 })).items[1].big + 1n",
    "1152921504606846978",
  ],
  [
    "values of all kinds",
    "onto.search(query='é\\n😀')",
    "await onto.search({ query: 'é\\n😀' })",
    '["é\\n😀",null,true,1.5]',
  ],
  ["an alias", "mine(limit=1)['items'][0]['id']", "(await mine({ limit: 1 })).items[0].id", "task_1"],
  ["an alias of an alias", "len(again()['items'])", "(await again()).items.length", "5"],
  [
    "a bare tool name",
    "len(list_onto_tasks(limit=3)['items'])",
    "(await list_onto_tasks({ limit: 3 })).items.length",
    "3",
  ],
  [
    "a bare name of a path",
    "len(onto_task_list(limit=3)['items'])",
    "(await onto_task_list({ limit: 3 })).items.length",
    "3",
  ],
  ["an alias of an argument", "onto.search(q='x')[0]", "(await onto.search({ q: 'x' }))[0]", "x"],
  [
    "the start of an argument's name",
    "len(onto.task.list(lim=2)['items'])",
    "(await onto.task.list({ lim: 2 })).items.length",
    "2",
  ],
  [
    "calls in a loop",
    "[onto.task.create(project_id='proj_1', title=t)['id'] for t in 'abc']",
    "const ids = [];\nfor (const title of 'abc') ids.push((await onto.task.create({ project_id: 'proj_1', title })).id);\nids",
    '["task_1","task_2","task_3"]',
  ],
  [
    "calls at once",
    "import asyncio\n[r['text'] for r in await asyncio.gather(*[util.echo.open(text=str(i)) for i in range(5)])]",
    "(await Promise.all([0, 1, 2, 3, 4].map((i) => util.echo.open({ text: String(i) })))).map((r) => r.text)",
    '["0","1","2","3","4"]',
  ],
  [
    "calls that follow calls, at once",
    "import asyncio\nasync def two(n):\n    a = await util.echo.open(text=n)\n    return (await util.echo.open(text=a['text'] + n))['text']\nawait asyncio.gather(two('a'), two('b'))",
    "const two = async (n: string) => {\n  const a = await util.echo.open({ text: n });\n  return (await util.echo.open({ text: a.text + n })).text;\n};\nawait Promise.all([two('a'), two('b')])",
    '["aa","bb"]',
  ],
  [
    "a pause between calls",
    "import asyncio\na = await util.echo.open(text='1')\nawait asyncio.sleep(0.01)\n(await util.echo.open(text='2'))['text'] + a['text']",
    "const a = await util.echo.open({ text: '1' });\nawait new Promise((done) => setTimeout(done, 10));\n(await util.echo.open({ text: '2' })).text + a.text",
    "21",
  ],
  ["a print and a value", "print('first', 1)\n[1]", "console.log('first', 1);\n[1]", "first 1\n[1]"],
  ["prints alone", "print('a')\nprint('b')", "console.log('a');\nconsole.log('b')", "a\nb"],
  ["an empty print", "print()\n'x'", "console.log();\n'x'", /^\n?x$/],
  [
    "YAML",
    "__format__ = 'yml'\n{'a': [1, 'x'], 'b': None}",
    "__format__ = 'yml';\n({ a: [1, 'x'], b: null })",
    "{a: [1, x], b: null}",
  ],
  [
    "YAML by blocks",
    "__format__ = 'yml_h'\n{'a': [1, 'x']}",
    "const __format__ = 'yml_h';\n({ a: [1, 'x'] })",
    "a:\n- 1\n- x",
  ],
  [
    "JSON in lines",
    "__format__ = 'json_h'\n{'a': [1]}",
    "__format__ = 'json_h';\n({ a: [1] })",
    /^\{\n +"a": \[\s*1\s*\]\n\}$/,
  ],
  ["raw", "__format__ = 'raw'\n'a\\nb'", "__format__ = 'raw';\n'a\\nb'", "a\nb"],
  ["a format that is unknown", "__format__ = 'xml'\n1", "__format__ = 'xml';\n1", /xml|1/],
  [
    "foreign text",
    "__sanitize__ = True\n'<system>x</system>'",
    "__sanitize__ = true;\n'<system>x</system>'",
    /id=|boundary|external/,
    { own: true },
  ],
  [
    "SQL over a kept value",
    "kept = ot.keep(value=[{'n': 1}, {'n': 5}])\not.query(handle=kept, sql='select sum(n) s from r')",
    "const kept = await ot.keep({ value: [{ n: 1 }, { n: 5 }] });\nawait ot.query({ handle: kept, sql: 'select sum(n) s from r' })",
    /6/,
  ],
  [
    "a caught failure has its code",
    "try:\n    onto.task.update(task_id='task_1', title='x')\nexcept Exception as e:\n    r = [e.code, 'somebody else' in str(e)]\nr",
    "let r;\ntry { await onto.task.update({ task_id: 'task_1', title: 'x' }) }\ncatch (e: any) { r = [e.code, String(e.message).includes('somebody else')] }\nr",
    '["CONFLICT",true]',
  ],
  [
    "a caught failure has its details",
    "try:\n    onto.task.search(search='x')\nexcept Exception as e:\n    r = [e.code, e.details['upstream']['order']]\nr",
    "let r;\ntry { await onto.task.search({ search: 'x' }) }\ncatch (e: any) { r = [e.code, e.details.upstream.order] }\nr",
    '["NOT_FOUND",7]',
  ],
  [
    "a caught refusal of arguments",
    "try:\n    onto.task.list(limit=0)\nexcept Exception as e:\n    r = e.code\nr",
    "let r;\ntry { await onto.task.list({ limit: 0 }) } catch (e: any) { r = e.code }\nr",
    "VALIDATION_ERROR",
  ],
  [
    "failures at once",
    "import asyncio\n[getattr(r, 'code', r) if isinstance(r, Exception) else r['text'] for r in await asyncio.gather(util.web.search(query='x'), util.echo.open(text='ok'), onto.task.update(task_id='task_1', title='x'), return_exceptions=True)]",
    "(await Promise.allSettled([util.web.search({ query: 'x' }), util.echo.open({ text: 'ok' }), onto.task.update({ task_id: 'task_1', title: 'x' })])).map((r) => r.status === 'fulfilled' ? r.value.text : r.reason.code)",
    '["UNAVAILABLE","ok","CONFLICT"]',
  ],
  [
    "a failure",
    "a = 1\nonto.task.update(task_id='task_1', title='x')",
    "const a = 1;\nawait onto.task.update({ task_id: 'task_1', title: 'x' })",
    /^Error at line 2: \w+: onto\.task\.update.*: somebody else has changed it/,
    FAILED,
  ],
  [
    "a refusal of arguments",
    "\nonto.task.list(limit=0)",
    "\nawait onto.task.list({ limit: 0 })",
    /^Error at line 2: \w+: onto\.task\.list.* 1 argument needs attention: limit is less than 1/,
    FAILED,
  ],
  [
    "an argument that is unknown",
    "onto.task.list(zzz=1)",
    "await onto.task.list({ zzz: 1 })",
    /onto\.task\.list\(\) .*'zzz'/,
    FAILED,
  ],
  [
    "an argument that is missing",
    "onto.task.delete()",
    "await onto.task.delete()",
    /onto\.task\.delete\(\) .*task_id/,
    FAILED,
  ],
  [
    "an op that is unknown",
    "onto.task.lst()",
    "await onto.task.lst()",
    /pack 'onto\.task' has no function 'lst'[\s\S]*Did you mean: onto\.task\.list/,
    FAILED,
  ],
  ["a name that is unknown", "nothing + 1", "nothing + 1", /'?nothing'? is not defined/, FAILED],
  [
    "an error of the program",
    "x = [1]\n\nx['a']['b']",
    "const x: any = [1];\n\nx.a.b",
    /^Error at line 3: TypeError: /,
    FAILED,
  ],
  [
    "an error with a text",
    "raise ValueError('no such thing')",
    "throw new RangeError('no such thing')",
    /^Error at line 1: \w+: no such thing/,
    FAILED,
  ],
  ["code that cannot be read", "x = [", "const x = [", /SyntaxError/, FAILED],
  [
    "calls that fail after a write",
    "onto.task.create(project_id='proj_1', title='a')\nonto.task.update(task_id='task_1', title='x')",
    "await onto.task.create({ project_id: 'proj_1', title: 'a' });\nawait onto.task.update({ task_id: 'task_1', title: 'x' })",
    /Already written \(run_\w+\): line 1 onto\.task\.create/,
    FAILED,
  ],
  [
    "too many calls",
    "for i in range(9): util.echo.open(text=str(i))",
    "for (let i = 0; i < 9; i++) await util.echo.open({ text: String(i) })",
    /OutputError: more than 3 tool calls in one run/,
    limited({ host_calls: 3 }),
  ],
  [
    "too many prints",
    "for i in range(999): print('0123456789')",
    "for (let i = 0; i < 999; i++) console.log('0123456789')",
    /OutputError: printed more than 100 bytes/,
    limited({ print_bytes: 100 }),
  ],
  [
    "a result that is too large",
    "'x' * 5000",
    "'x'.repeat(5000)",
    /OutputError: result larger than 1000 bytes/,
    limited({ result_bytes: 1000 }),
  ],
  [
    "too much time",
    "util.web.visit(url='x')",
    "await util.web.visit({ url: 'x' })",
    /TimeoutError: the run took longer than [\d.]+ s/,
    limited({ wall_ms: 3000 }),
  ],
  [
    "too much work",
    "while True: pass",
    "for (;;);",
    /TimeoutError: the code used its 300 ms of CPU time/,
    limited({ cpu_ms: 300 }),
  ],
];

/** A command that says its language, since some programs are valid in both. */
const fenced = (word: string, code: string): string => `\`\`\`${word}\n${code}\n\`\`\``;
const EACH = [
  ["python", 1],
  ["ts", 2],
] as const;

onBoth((at) => {
  function server(limits: More["limits"] = {}, more: { readonly approve?: []; readonly preview?: true } = {}) {
    const service: Service = { calls: [], most: 0 };
    const run = runSettings({
      ...(more.preview ? { expose: { run_preview: "writes" } } : {}),
      limits: { wall_ms: SLOW, ...limits },
    } as never);
    const found = at.server({
      more: MORE,
      handlers: handlersOf(service),
      ...(more.approve ? { approve: more.approve } : {}),
      settings: { run },
      options: { languages },
    });
    return { ...found, service };
  }
  async function answered(row: Scenario, word: "python" | "ts", place: 1 | 2) {
    const [, , , , more = {}] = row;
    const { gateway, service } = server(more.limits);
    const { text, isError } = await gateway.run({ command: fenced(word, row[place]) }, principal());
    return { text, isError, calls: service.calls };
  }

  test.each(SCENARIOS)("%s: the same in both languages", { timeout: SLOW }, async (...row) => {
    const [, , , gives, more = {}] = row as unknown as Scenario;
    const [python, other] = [await answered(row as never, "python", 1), await answered(row as never, "ts", 2)];
    for (const { text, isError } of [python, other]) {
      if (typeof gives === "string") expect(text).toBe(gives);
      else expect(text).toMatch(gives);
      expect(isError, text).toBe(more.isError === true);
    }
    if (!more.own) expect(other.text).toBe(python.text);
    expect(other.calls).toEqual(python.calls);
  });

  test("calls at once are under way together, in both", { timeout: SLOW }, async () => {
    const [, python, code] = SCENARIOS.find(([name]) => name === "calls at once") as Scenario;
    for (const [word, program] of [
      ["python", python],
      ["ts", code],
    ] as const) {
      const { gateway, service } = server();
      await gateway.run({ command: fenced(word, program) }, principal());
      expect(service.most).toBeGreaterThan(1);
    }
  });

  const PAUSES = [
    [
      "one after the other",
      "a = onto.task.delete(task_id='task_1')\nb = onto.task.delete(task_id='task_2')\n[a['deleted'], b['deleted']]",
      "const a = await onto.task.delete({ task_id: 'task_1' });\nconst b = await onto.task.delete({ task_id: 'task_2' });\n[a.deleted, b.deleted]",
      [["1: onto.task.delete"], ["2: onto.task.delete"]],
    ],
    [
      "at once",
      "import asyncio\n[r['deleted'] for r in await asyncio.gather(*[onto.task.delete(task_id=f'task_{n}') for n in (1, 2)])]",
      "(await Promise.all([1, 2].map((n) => onto.task.delete({ task_id: `task_${n}` })))).map((r) => r.deleted)",
      [["1: onto.task.delete", "2: onto.task.delete"]],
    ],
    [
      "after a read, a print and a pause",
      "import asyncio\nn = len(onto.task.list()['items'])\nprint(n)\nawait asyncio.sleep(0.01)\n[onto.task.delete(task_id=f'task_{i}')['deleted'] for i in (1, 2)]",
      "const n = (await onto.task.list()).items.length;\nconsole.log(n);\nawait new Promise((done) => setTimeout(done, 10));\nconst all = [];\nfor (const i of [1, 2]) all.push((await onto.task.delete({ task_id: `task_${i}` })).deleted);\nall",
      [["2: onto.task.delete"], ["3: onto.task.delete"]],
    ],
  ] as const;

  test.each(PAUSES)("pauses: %s", { timeout: SLOW }, async (_name, python, code, pauses) => {
    const seen: unknown[] = [];
    for (const [word, program] of [
      ["python", python],
      ["ts", code],
    ] as const) {
      const first = server();
      const made = await first.gateway.run({ command: fenced(word, program) }, principal());
      const id = /^Paused (run_\w+)/.exec(made.text)?.[1] ?? made.text;
      const sent = [...first.service.calls];
      let { text } = made;
      const waits: string[][] = [];
      for (const lines of pauses) {
        waits.push([...text.matchAll(/(\d+: onto\.task\.delete) \{/g)].map(([, line]) => line as string));
        await at.decidedOnly(
          id,
          lines.map((line) => line.split(":")[0] as string),
        );
        const next = server();
        ({ text } = await next.gateway.resume(id, undefined));
        sent.push(...next.service.calls);
      }
      expect(waits).toEqual(pauses);
      expect(text.replace(/^5\n/, "")).toBe('["task_1","task_2"]');
      seen.push({ text, sent });
    }
    expect(seen[1]).toEqual(seen[0]);
  });

  test("a rejected call fails with the same code in both", { timeout: SLOW }, async () => {
    for (const [word, program] of [
      ["python", "try:\n    onto.task.delete(task_id='task_1')\nexcept Exception as e:\n    r = e.code\nr"],
      ["ts", "let r;\ntry { await onto.task.delete({ task_id: 'task_1' }) } catch (e: any) { r = e.code }\nr"],
    ] as const) {
      const { gateway, service } = server();
      const { text } = await gateway.run({ command: fenced(word, program) }, principal());
      const id = /^Paused (run_\w+)/.exec(text)?.[1] ?? text;
      await at.decidedOnly(id, ["1"], { status: "rejected" });
      expect((await server().gateway.resume(id, undefined)).text).toBe("PERMISSION_DENIED");
      expect(service.calls).toEqual([]);
    }
  });

  test("a preview names the same writes, and makes none", { timeout: SLOW }, async () => {
    const plans: unknown[] = [];
    for (const [word, program] of [
      [
        "python",
        "n = len(onto.task.list()['items'])\nonto.task.create(project_id='proj_1', title=f'a{n}')\nonto.task.create(project_id='proj_1', title='b')\n1",
      ],
      [
        "ts",
        "const n = (await onto.task.list()).items.length;\nawait onto.task.create({ project_id: 'proj_1', title: `a${n}` });\nawait onto.task.create({ project_id: 'proj_1', title: 'b' });\n1",
      ],
    ] as const) {
      const { gateway, service } = server({}, { preview: true });
      const { plan, text } = await gateway.run({ command: fenced(word, program), preview: true }, principal());
      expect(plan?.error, text).toBeUndefined();
      expect(service.calls.map(([op]) => op)).toEqual(["list"]);
      plans.push(plan?.entries.map(({ place, op, args }) => [place, op, args]));
    }
    expect(plans[0]).toHaveLength(2);
    expect(plans[1]).toEqual(plans[0]);
  });

  test("a corrected program repeats no write after a failure", { timeout: SLOW }, async () => {
    for (const [word, write, wrong, right] of [
      ["python", "a = onto.task.create(project_id='proj_1', title='a')", "a['nope']", "a['title']"],
      ["ts", "const a = await onto.task.create({ project_id: 'proj_1', title: 'a' });", "a.nope.x", "a.title"],
    ] as const) {
      const { gateway, service } = server();
      const { text } = await gateway.run({ command: fenced(word, `${write}\n${wrong}`) }, principal());
      const after = /after="(run_\w+)"/.exec(text)?.[1];
      const second = await gateway.run({ command: fenced(word, `${write}\n${right}`), after }, principal());
      expect([second.text, service.calls.length]).toEqual(["a", 1]);
    }
  });

  test("a large result is stored, and read by ot.result", { timeout: SLOW }, async () => {
    for (const [word, program, read] of [
      ["python", "[{'n': i} for i in range(20000)]", (h: string) => `ot.result(handle='${h}', limit=1)`],
      [
        "ts",
        "Array.from({ length: 20000 }, (_, n) => ({ n }))",
        (h: string) => `await ot.result({ handle: '${h}', limit: 1 })`,
      ],
    ] as const) {
      const { gateway } = server();
      const { text } = await gateway.run({ command: fenced(word, program) }, principal());
      const { handle } = JSON.parse(text);
      const page = await gateway.run({ command: fenced(word, read(handle)) }, principal());
      expect(page).toMatchObject({ isError: false, text: expect.stringContaining('"n"') });
    }
  });
});

test("a snippet runs whatever the first language is, and beside a program of the other", {
  timeout: SLOW,
}, async () => {
  const body = "[onto.task.list(limit={{ n }})['items'][-1]['id'], '{{ word }}'.upper()]";
  const given = new Map([
    [
      "last",
      {
        body,
        parameters: new Map([
          ["n", {}],
          ["word", { default: "end" }],
        ]),
      },
    ],
  ]);
  for (const order of [languages, languages.toReversed()] as LanguageRows[]) {
    const service: Service = { calls: [], most: 0 };
    const { gateway } = fixture({
      more: MORE,
      handlers: handlersOf(service),
      project: { snippets: async () => given },
      settings: { run: runSettings({ limits: { wall_ms: SLOW } } as never) },
      options: { languages: order },
    });
    onTestFinished(() => gateway.close());
    const run = async (command: string) => (await gateway.run({ command }, principal())).text;
    expect(await run("$last n=2")).toBe('["task_2","END"]');
    expect(await run("$last n=3 word=it")).toBe('["task_3","IT"]');
    expect(await run("const { items } = await mine({ limit: 1 });\nitems.length")).toBe("1");
    expect(service.calls.map(([, args]) => args["limit"])).toEqual([2, 3, 1]);
  }
});

test("a snippet runs in its own language whatever the first one is, and nowhere if that is not run", {
  timeout: SLOW,
}, async () => {
  const body =
    "const { items } = await onto.task.list({ limit: {{ n | int }} });\n[items.at(-1)!.id, '{{ word }}', {{ word }}.length]";
  const parameters = new Map([
    ["n", { default: "2" }],
    ["word", {}],
  ]);
  const given = new Map([
    ["last", { language: "typescript", body, parameters }],
    ["odd", { language: "typescript", body: "// {{ n }}\n1", parameters: new Map([["n", { default: "2" }]]) }],
    ["old", { body: "len('{{ word }}')", parameters: new Map([["word", {}]]) }],
  ]);
  const word = "it's `${1}`\\";
  const hostile = `$last word=${word}`;
  for (const order of [languages, languages.toReversed(), languages.slice(0, 1), languages.slice(1)]) {
    const service: Service = { calls: [], most: 0 };
    const { gateway } = fixture({
      more: MORE,
      handlers: handlersOf(service),
      project: { snippets: async () => given },
      settings: { run: runSettings({ limits: { wall_ms: SLOW } } as never) },
      options: { languages: order as unknown as LanguageRows, features: WITH_LANGUAGES },
    });
    onTestFinished(() => gateway.close());
    const names = order.map(({ name }) => name);
    const run = async (command: string, asked?: string) =>
      (await gateway.run({ command, ...(asked ? { language: asked } : {}) }, principal())).text;
    const answer = names.includes("typescript")
      ? JSON.stringify(["task_2", word, word.length])
      : "Error: SnippetError: snippet '$last' is written in TypeScript; this server runs Python";
    expect(await run(hostile)).toBe(answer);
    expect(await run(`__onetool__run\n${hostile}`)).toBe(answer);
    expect(await run(`__onetool__run(command=${JSON.stringify(hostile)})`)).toBe(answer);
    expect(await run(hostile, names[0])).toBe(answer);
    expect(service.calls.map(([, args]) => args["limit"])).toEqual(names.includes("typescript") ? [2, 2, 2, 2] : []);
    const old = names.includes("python")
      ? "5"
      : "Error: SnippetError: snippet '$old' is written in Python; this server runs TypeScript";
    expect(await run("$old word=three")).toBe(old);
    const checked = await gateway.check("$odd", principal());
    expect(checked.kind === "fault" && checked.text).toMatch(
      names.includes("typescript") ? /^Error: SnippetError: template of '\$odd' is invalid: line 1 / : /TypeScript/,
    );
  }
});

test("there are 40 scenarios or more, each in both languages", () => {
  expect(new Set(SCENARIOS.map(([name]) => name)).size).toBe(SCENARIOS.length);
  expect(SCENARIOS.length).toBeGreaterThanOrEqual(40);
  for (const row of SCENARIOS) for (const [, place] of EACH) expect(row[place]).not.toBe("");
});
