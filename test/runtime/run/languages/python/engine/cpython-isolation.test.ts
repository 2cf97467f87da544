/** The CPython engine has no files, environment, processes or network. */

import dgram from "node:dgram";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Asked, dict, pythonEngine, runWith } from "../../../../../support/run/python.js";

// The attack list, row by row. A row holds where every attempt ends in an error, or in nothing of the host.
const engine = pythonEngine(2);
const run = (code: string, asked?: Asked) => runWith(engine(), code, asked);

/** Each attempt on its own, all in one run: `error: <type>`, or what it gave. */
async function attempts(codes: readonly string[], asked?: Asked): Promise<readonly (readonly [string, string])[]> {
  const lines = codes.map((code) => `attempt(${JSON.stringify(code)})`).join("\n");
  const harness =
    "seen = []\ndef attempt(code):\n  try:\n    names = {}\n    exec(code, names)\n    seen.append('gave: ' + repr(names.get('r')))\n" +
    "  except BaseException as e:\n    seen.append('error: ' + type(e).__name__)\n";
  const outcome = await run(`${harness}${lines}\n__ret(seen)`, asked);
  expect(outcome).toMatchObject({ ok: true });
  const seen = outcome.ok ? (outcome.value as readonly string[]) : [];
  return codes.map((code, at) => [code, seen[at] as string]);
}

const allFail = async (codes: readonly string[]) => {
  const got = await attempts(codes);
  expect(got.filter(([, result]) => !result.startsWith("error: "))).toEqual([]);
};

/** Code that puts every JavaScript object the interpreter holds, and what can be reached from it, into `found`. */
const JS_OBJECTS =
  "import gc, sys\nf = sys._getframe()\nwhile 'link' not in f.f_globals: f = f.f_back\nlink = f.f_globals['link']\n" +
  "P = type(link.send)\nfound = [link.send, link.recv] + [o for o in gc.get_objects() if 'JsProxy' in type(o).__mro__[-2].__name__ or 'JsProxy' in type(o).__name__]\n";

describe("isolation", () => {
  it("files: open, read_text, listing, mounting", async () => {
    await allFail([
      "r = open('/etc/passwd').read()",
      "r = open('/tmp/x', 'w')",
      "r = open('/lib/python3.14/x', 'w')",
      "r = open('/lib/python314.zip', 'r+b')",
      "r = open('/lib/python3.14/../../etc/passwd').read()",
      "import os\nr = os.open('/etc/passwd', os.O_RDONLY)",
      "import os\nr = os.open('/lib/python3.14/x', os.O_CREAT)",
      "import pathlib\nr = pathlib.Path('/etc/passwd').read_text()",
      "import os\nr = os.listdir('/')",
      "import os\nr = os.listdir('.')",
      "import os\nr = list(os.scandir('/home'))",
      "import pathlib\nr = list(pathlib.Path('/').iterdir())",
      "import os\nos.mkdir('/tmp/x')",
      "import os\nos.symlink('/etc', '/lib/python3.14/etc')",
      "import os\nos.rename('/lib/python314.zip', '/x')",
      "import os\nos.unlink('/lib/python314.zip')",
      "import os\nos.truncate('/lib/python314.zip', 0)",
      "import os\nr = os.pipe()",
      "import tempfile\nr = tempfile.mkdtemp()",
      "import pyodide_js\npyodide_js.mountNodeFS('/mnt', '/etc')",
      "r = open('/dev/stdin').read()",
      "import shutil\nshutil.copy('/lib/python314.zip', '/tmp/a')",
    ]);
  });

  it("environment: os.environ, getenv, secrets in error texts", { tags: "full" }, async () => {
    const got = await attempts([
      "import os\nr = dict(os.environ)",
      "import os\nr = os.getenv('PATH')",
      "import os, sys, importlib\nimport posix\nr = [v for v in posix.environ.values() if b'root' in v or b'/work' in v or b'/usr' in v]",
      "import os\nr = os.path.expandvars('$PATH')",
    ]);
    expect(got.map(([, result]) => result)).toEqual(["gave: {}", "gave: None", "gave: []", "gave: '$PATH'"]);
    const outcome = await run(
      "import os, sys, platform\n__ret([str(sys.path), sys.executable, str(sys.argv), os.getcwd(), platform.node()])",
    );
    expect(outcome).toMatchObject({ ok: true });
    expect(JSON.stringify(outcome)).not.toContain(process.cwd());
  });

  it("processes and network: an error, and a listener sees nothing", { tags: "full" }, async () => {
    let seen = 0;
    const server = createServer(() => seen++);
    const udp = dgram.createSocket("udp4");
    udp.on("message", () => seen++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.close();
      udp.close();
    });
    const at = `('127.0.0.1', ${port})`;
    const clear = "import sys\nsys.meta_path.pop(0)\n";
    await allFail([
      "import subprocess",
      "import os\nos.system('id')",
      "import os\nos.popen('id')",
      "import os\nos.fork()",
      "import os\nos.execv('/bin/id', ['id'])",
      "import os\nos.kill(1, 9)",
      "import ctypes",
      "import multiprocessing",
      "import threading\nthreading.Thread(target=print).start()",
      "import socket",
      `import urllib.request\nurllib.request.urlopen('http://127.0.0.1:${port}/')`,
      `import http.client\nhttp.client.HTTPConnection${at}.request('GET', '/')`,
      `import asyncio\nasyncio.run(asyncio.open_connection${at})`,
      `import asyncio\nasyncio.base_events.socket.create_connection(${at})`,
      `import asyncio\ns = asyncio.base_events.socket.socket(2, 2)\ns.sendto(b'x', ${at})\nr = s.getsockname()[2]`,
      "import asyncio\nr = asyncio.base_events.socket.getaddrinfo('example.com', 80)[0][4][0] + 1",
      `import asyncio\nasyncio.base_events.subprocess.run(['id'])`,
      `from pyodide.http import pyfetch`,
      `import js\njs.fetch('http://127.0.0.1:${port}/')`,
      `import js\njs.WebSocket.new('ws://127.0.0.1:${port}/')`,
      // with the guard of imports taken away
      `${clear}import socket\nsocket.create_connection(${at}, 1)`,
      `${clear}import subprocess\nsubprocess.run(['id'])`,
      `${clear}from js import fetch`,
      `${clear}import pyodide_js\nr = pyodide_js.mountNodeFS`,
    ]);
    expect(seen).toBe(0);
  });

  it("JavaScript: modules, code from strings, what can be reached from any object", { tags: "full" }, async () => {
    await allFail([
      "import js",
      "import pyodide_js",
      "import pyodide",
      "import _pyodide_core",
      "from pyodide.code import run_js\nrun_js('1')",
      "import sys\nr = sys.modules['js']",
      "import sys\nr = sys.modules['pyodide_js']",
      "import sys, importlib\nsys.meta_path.pop(0)\nr = importlib.import_module('js').process",
    ]);
    const reach = [
      "o.constructor('return 1')()",
      "o.constructor.constructor('return process')()",
      "o.constructor.new('return process')()",
      "o.process.version",
      "o.globalThis.process.binding",
      "o.env.PATH",
      "o.mountNodeFS('/mnt', '/etc')",
      "o.getBuiltinModule('fs')",
      "o.require('fs')",
      "o._module.FS.readFile('/etc/passwd')",
      "o._module.FS.filesystems.NODEFS",
      "o._api.initializeNodeSockFS()",
      "o.useNodeSockFS()",
      "o.loadPackage('numpy').then",
      "o.runPython('1')",
      "o.eval('1')",
    ];
    const code = `${JS_OBJECTS}reached = []\nfor o in found:\n  for way in ${JSON.stringify(reach)}:\n    try:\n      reached.append([str(o)[:60], way, str(eval(way))[:60]])\n    except BaseException: pass\n__ret([len(found), reached])`;
    const outcome = await run(code);
    expect(outcome).toMatchObject({ ok: true });
    const [count, reached] = JSON.parse((outcome.ok && outcome.json) || "[]");
    expect(count).toBeGreaterThanOrEqual(2);
    expect(reached).toEqual([]);
  });

  it("Python's own insides: classes, frames, subclasses", { tags: "full" }, async () => {
    const codes = [
      "r = [c.__name__ for c in ().__class__.__mro__[-1].__subclasses__() if c.__name__ in ('Popen', 'socket')]",
      "c = [c for c in object.__subclasses__() if c.__name__ == '_wrap_close']\nr = c[0].__init__.__globals__['system']('id') if c else 1/0",
      "r = getattr(print, '__self__').open('/etc/passwd')",
      "r = (lambda: 0).__globals__['__builtins__']['open']('/etc/passwd').read()",
      "import sys\nf = sys._getframe()\nwhile f.f_back: f = f.f_back\nr = f.f_globals['os'].listdir('/')",
    ];
    const got = await attempts(codes);
    for (const [code, result] of got)
      expect([code, result]).toEqual([
        code,
        expect.stringMatching(
          /^(error: |gave: (\[\]|\['Popen'\]|\['socket'\]|\['socket', 'Popen'\]|\['Popen', 'socket'\])$)/,
        ),
      ]);
  });

  it("names of JavaScript's objects: no function, no entry, Object.prototype unchanged", { tags: "full" }, async () => {
    const before = Reflect.ownKeys(Object.prototype).length;
    const ops = { "demo.t": () => dict({ ["__proto__"]: dict({ polluted: 1 }), constructor: 2 }) };
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"])
      expect(await run(`demo.${name}()`, { ops })).toMatchObject({ name: "AttributeError", calls: [] });
    const outcome = await run(
      "x = demo.t()\nx['__proto__']['a'] = {'__proto__': 1}\ndemo.t(x, **{'__proto__': 5})\n__ret(x)",
      { ops },
    );
    expect(outcome).toMatchObject({
      ok: true,
      json: '{"__proto__":{"polluted":1,"a":{"__proto__":1}},"constructor":2}',
    });
    expect(outcome.calls[1]?.named).toEqual([["__proto__", 5]]);
    expect(Reflect.ownKeys(Object.prototype)).toHaveLength(before);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("patches of builtins and modules: no trace in the next run", { tags: "full" }, async () => {
    const patch =
      "import builtins, sys, json, types\nbuiltins.x = 1\nbuiltins.len = lambda v: 99\njson.dumps = lambda *a, **k: 'no'\nsys.modules['planted'] = types.ModuleType('planted')\nsys.path.append('/planted')\nprint('patched')";
    expect((await run(patch)).printed).toMatch(/patched|^$/);
    const look =
      "import builtins, sys, json\n__ret([hasattr(builtins, 'x'), len([1]), json.dumps([1]), 'planted' in sys.modules, '/planted' in sys.path, 'y' in globals()])";
    for (const _round of [1, 2, 3])
      expect(await run(look)).toMatchObject({ json: '[false,1,"[1]",false,false,false]' });
  });

  it("file descriptors: output to them is discarded", { tags: "full" }, async () => {
    const written: string[] = [];
    const { write } = process.stdout;
    const { write: writeError } = process.stderr;
    const catching = (chunk: string | Uint8Array) => written.push(String(chunk)) > 0;
    process.stdout.write = catching;
    process.stderr.write = catching;
    const restore = () => {
      process.stdout.write = write;
      process.stderr.write = writeError;
    };
    const outcome = await run(
      "import os, sys\nfor fd in (1, 2, 3, 4, 5):\n  try: os.write(fd, b'leak\\n' * 3)\n  except OSError: pass\ntry: sys.__stdout__.buffer.write(b'leak')\nexcept AttributeError: pass\n__ret('done')",
    ).finally(restore);
    expect(outcome).toMatchObject({ ok: true, value: "done", printed: "" });
    expect(written.join("")).not.toContain("leak");
  });

  it("input and the interpreter's own exits end the run, not the host", { tags: "full" }, async () => {
    expect(await run("input()")).toMatchObject({ ok: false, kind: "runtime" });
    expect(await run("import os\nos._exit(3)")).toMatchObject({ ok: false });
    expect(await run("import os\nos.abort()")).toMatchObject({ ok: false });
    expect(await run("import sys\nsys.exit()")).toMatchObject({ name: "SystemExit", message: "" });
    expect(await run("import faulthandler\nfaulthandler._sigsegv()")).toMatchObject({ ok: false });
    expect(await run("__ret(1)")).toMatchObject({ value: 1 });
  });
});
