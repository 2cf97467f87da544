/** Extension tools through MCP and the command line, over a project with `.onetool/tools/greet.py`. */

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { writeTools } from "../../../test/support/open-root.js";
import { type Served, serve, toolwright } from "../../../test/support/project.js";
import { runDemo, SLOW } from "../../../test/support/run/run-demo.js";

const GREET = `"""Greetings."""

def hello(name: str, count: int = 1, *, nickname: str | None = None) -> str:
    """Say hello.

    Args:
        name: Who is greeted.
        count: How often.
    """
    return " ".join([f"Hello {nickname or name}!"] * count)

hello.readonly = True

def remember(text: str):
    """Keep a greeting."""
    return other.store(text=text)

def _secret():
    """Not a tool."""

def plain(): pass
`;

const demo = runDemo();
const command = (...args: readonly string[]) => toolwright([...args, "--root", demo.root()]);
let served: Served;

beforeAll(async () => {
  writeTools(demo.root(), {
    "greet.py": GREET,
    "broken.py": "def f(:\n",
    "calc.ts": "/** Two. */\nexport const two = () => 2;\n",
  });
  // The first call prepares the interpreter, which takes its time on a busy machine.
  const configuration = join(demo.root(), "definitions", "toolwright.yaml");
  appendFileSync(configuration, "limits: { call_timeout_ms: 110000, wall_ms: 110000 }\n");
  served = await serve(demo.root());
  return () => served.close();
}, SLOW);

/** What a client gets for a piece of code. */
async function run(code: string): Promise<string> {
  const { content } = await served.client.callTool({ name: "run", arguments: { command: code } });
  const [block] = content;
  return block?.type === "text" ? block.text : "";
}

describe("through MCP", () => {
  test.each([
    ["[RUN-12.2] extension tool: prefix matching", 'greet.hello(na="Bob", c=2)', "Hello Bob! Hello Bob!"],
    ["[RUN-12.2] an exact name before a prefix", 'greet.hello(name="B", nick="Al")', "Hello Al!"],
    ["by position and by its bare name", 'hello("Bob")', "Hello Bob!"],
  ])("%s calls the tool", async (_, code, text) => expect(await run(code)).toBe(text), SLOW);

  test(
    "wrong names and types are told with the signature",
    async () => {
      expect(await run('greet.hello(x="t")')).toContain(
        "TypeError: greet.hello() got an unexpected keyword argument 'x'. Signature: greet.hello(name: str, count: int = 1, nickname: str | None = None) -> str",
      );
      expect(await run("greet.hello(name=5)")).toContain("argument 'name' must be str, got int");
      expect(await run("greet.plain()")).toContain("pack 'greet' has no function 'plain'. Available: hello, remember");
      expect(await run('greet._secret("x")')).toContain("AttributeError");
    },
    SLOW,
  );

  test("help, exec and batch know them; answers carry the version with the overlay", {
    timeout: SLOW,
    tags: "full",
  }, async () => {
    const help = await served.call("tool_help", { path: "greet" });
    expect(help.value).toMatchObject({
      registry_version: expect.stringMatching(/^[0-9a-f]{12}\+[0-9a-f]{12}$/),
      items: [{ op: "greet.hello" }, { op: "greet.remember" }],
    });
    const op = await served.call("tool_help", { path: "greet.hello", format: "full" });
    expect(op.value).toMatchObject({
      kind: "read",
      registry_version: help.value.registry_version,
      usage: "greet.hello(name, count=1, nickname=null)",
      args: [{ name: "name", description: "Who is greeted." }, { name: "count" }, { name: "nickname" }],
    });
    const exec = await served.call("tool_exec", { op: "greet.hello", args: { name: "Bob" } });
    expect(exec).toMatchObject({ isError: false, value: { ok: true, result: "Hello Bob!" } });
    const batch = await served.call("tool_batch", {
      ops: [
        { id: "a", op: "greet.hello", args: { name: "Bob" } },
        { id: "b", op: "demo.bounce", args: { text: "$ref:a.result" } },
      ],
    });
    expect(JSON.stringify(batch.value)).toContain("Hello Bob!");
  });

  test(
    "a write is refused while writes are not allowed",
    async () => {
      expect(await run('greet.remember(text="x")')).toContain(
        "PermissionError: greet.remember changes data and writes are not allowed here",
      );
      expect(await served.call("tool_exec", { op: "greet.remember", args: { text: "x" } })).toMatchObject({
        value: { ok: false, error: { code: "PERMISSION_DENIED" } },
      });
    },
    SLOW,
  );
});

describe("on the command line", () => {
  test("exec and run call them, a broken file is a warning with its line", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const exec = await command("exec", "greet.hello", "--name", "Bob", "--count", "2", "--json");
    expect(JSON.parse(exec.stdout)).toMatchObject({ ok: true, result: "Hello Bob! Hello Bob!" });
    expect(exec.stderr).toContain(".onetool/tools/broken.py:1 is not valid Python");
    const run = await command("run", "-c", 'greet.remember("x")', "--allow-write");
    expect(run).toMatchObject({ code: 0 });
  });

  test("doctor lists what is not loaded, and how to have it loaded", { timeout: SLOW, tags: "full" }, async () => {
    writeTools(demo.root(), { "later.py": 'import json, requests\ndef f(): "F."\n' });
    const { code, stdout } = await command("doctor");
    expect(code).toBe(1);
    expect(stdout).toContain(
      "tools        3 ops of 4 files; .onetool/tools/greet.py: plain is no tool, since it has no docstring",
    );
    expect(stdout).toMatch(/FAIL tools +\.onetool\/tools\/broken\.py:1 is not valid Python\n/);
    expect(stdout).toMatch(/FAIL tools +\.onetool\/tools\/calc\.ts is not loaded: .*\n +→ set `trust: local`/);
    expect(stdout).toMatch(
      /FAIL tools +\.onetool\/tools\/later\.py:1 fails when it is loaded: ModuleNotFoundError: .*requests/,
    );
    expect(stdout).not.toContain("_secret");
  });

  test("generated files know nothing of them", { timeout: SLOW, tags: "full" }, async () => {
    expect(await command("check")).toMatchObject({ code: 0 });
    expect((await command("generate")).code).toBe(0);
    const registry = readFileSync(join(demo.root(), "generated", "registry.json"), "utf8");
    expect(registry).not.toContain("greet");
  });
});
