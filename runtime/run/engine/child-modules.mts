/** Takes away the modules with which a child program could reach the host. Part of child programs. */
import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import vm from "node:vm";
import workers from "node:worker_threads";

const refuse = (): never => {
  throw new Error("not available here");
};
const disabled = (target: object, names: readonly string[]) => {
  for (const name of names)
    Reflect.defineProperty(target, name, { value: refuse, configurable: false, writable: false });
};

/** Before loading: disables the network (which the permission model does not cover), processes and native code. */
export function closeModules(): void {
  disabled(net.Socket.prototype, ["connect"]);
  disabled(net.Server.prototype, ["listen"]);
  disabled(dgram.Socket.prototype, ["bind", "send", "connect", "addMembership"]);
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    disabled(
      owner,
      Object.getOwnPropertyNames(owner).filter((name) => /^(resolve|lookup|reverse|setServers)/.test(name)),
    );
  disabled(childProcess, ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]);
  disabled(workers, ["Worker"]);
  disabled(vm, ["runInThisContext", "runInContext", "runInNewContext", "compileFunction", "Script", "createContext"]);
  syncBuiltinESMExports();
  const { constants } = fs;
  const blanked = "getBuiltinModule dlopen _linkedBinding kill _kill _debugProcess _debugEnd chdir".split(" ");
  disabled(process, [...blanked, "abort", "setuid", "setgid", "openStdin"]);
  // pyodide reads the constants, which a process under the permission model may not have.
  const binding = (name: string) => (name === "constants" ? { fs: constants, os: {} } : refuse());
  Reflect.defineProperty(process, "binding", { value: binding, configurable: true, writable: true });
  for (const name of [
    "fetch",
    "WebSocket",
    "EventSource",
    "Worker",
    "XMLHttpRequest",
    "BroadcastChannel",
    "MessageChannel",
  ])
    Reflect.deleteProperty(globalThis, name);
}
