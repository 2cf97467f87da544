// Runs commands of the checkout one after the other in one process, as each would run in its own: tests start so many that loading
// the program takes most of their time. `commands.ts` starts it and sends what to run. The program is loaded anew for each command,
// so nothing of its modules stays; the packages it requires do. Where one of them is esbuild, which remembers the first folder and bundles
// code of a project, the process takes no further command; nor where a command ended its process while something was still open.
import { Module } from "node:module";
import { setTimeout as after } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [, , launcher] = process.argv;
const HOME = process.cwd();
const EMITTERS = [process, process.stdout, process.stderr, process.stdin];
const exit = process.exit.bind(process);
let count = 0;

/** Makes an object have the values of another one, in place. */
function assign(target, values) {
  for (const name of Object.keys(target)) if (!(name in values)) delete target[name];
  Object.assign(target, values);
}

const listenersOf = (emitter) =>
  emitter.eventNames().flatMap((name) => emitter.rawListeners(name).map((one) => [name, one]));

/** What keeps this process alive beside the channel to the one that started it. */
const resources = () => process.getActiveResourcesInfo().filter((name) => name !== "Immediate");

/** Waits until the process would have ended: nothing that was begun is left, as the event loop sees it. */
async function ended(before) {
  while (resources().length > before) await after(2, undefined, { ref: false });
}

/** Resolves with the exit code if a command ends its process. */
function forcedEnd() {
  return new Promise((resolve) => {
    process.exit = (code = process.exitCode ?? 0) => resolve(code);
  });
}

/** Runs the program until nothing is left to do; its exit code. */
async function ran(before) {
  await import(`${pathToFileURL(launcher).href}?${++count}`);
  await ended(before);
  process.emit("beforeExit", process.exitCode ?? 0);
  await ended(before);
  return process.exitCode ?? 0;
}

async function run({ args, cwd, env }) {
  const written = { stdout: "", stderr: "" };
  const before = {
    listeners: EMITTERS.map(listenersOf),
    env: { ...process.env },
    console,
    resources: resources().length,
  };
  const writers = ["stdout", "stderr"].map((name) => {
    const { write } = process[name];
    process[name].write = (chunk, encoding, done) => {
      written[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const call = typeof encoding === "function" ? encoding : done;
      if (call) process.nextTick(call);
      return true;
    };
    return () => (process[name].write = write);
  });
  // Each load compiles the same text, which V8 remembers within a process.
  assign(process.env, { ...env, NODE_DISABLE_COMPILE_CACHE: "1" });
  process.chdir(cwd);
  process.argv.splice(1, process.argv.length, launcher, ...args);
  process.exitCode = undefined;
  try {
    const forced = forcedEnd().then((code) => ({ code, isForced: true }));
    const natural = ran(before.resources).then((code) => ({ code, isForced: false }));
    return { ...(await Promise.race([forced, natural])), ...written };
  } finally {
    process.exit = exit;
    for (const restore of writers) restore();
    EMITTERS.forEach((emitter, index) => {
      const known = new Set(before.listeners[index].map(([, listener]) => listener));
      for (const [name, listener] of listenersOf(emitter))
        if (!known.has(listener)) emitter.removeListener(name, listener);
    });
    globalThis.console = before.console;
    process.exitCode = undefined;
    process.chdir(HOME);
    assign(process.env, before.env);
  }
}

const isSpent = () => Object.keys(Module._cache).some((file) => /[\\/]esbuild[\\/]/.test(file));

process.on("message", async (command) => {
  const { isForced, ...ran } = await run(command);
  process.send({ ran, isLast: isForced || isSpent() });
});
process.on("disconnect", () => exit());
