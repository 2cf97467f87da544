/**
 * Takes away from the realm of the child program what could reach the host, and freezes what a guest may get hold of. Part of the
 * child program.
 */
import { memoryClass } from "../../../../engine/child-link.mjs";
import type { Filesystem } from "./child-image.mjs";

interface Imports {
  readonly env?: Record<string, unknown>;
}
interface Wasm {
  instantiate(source: unknown, imports?: Imports): Promise<unknown>;
}

/** Which the types of Node.js leave out. */
const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
const ERRNO_ACCES = 2;

const EAI_FAIL = -4;
const SYSTEM_CALLS =
  "pipe socket accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmsg sendmsg sendto";
/**
 * Functions that the interpreter imports and that keep something in JavaScript, where a restore of its memory does not
 * reach it: names of hosts, pipes, functions in its table. Each with the failure that it gives here.
 */
const FAILURES: Readonly<Record<string, number>> = {
  ...{ getaddrinfo: EAI_FAIL, getnameinfo: EAI_FAIL, _emscripten_lookup_name: 0, getprotobyname: 0 },
  ...{ ffi_closure_alloc_js: 0, ffi_closure_free_js: 0, ffi_prep_closure_loc_js: 1 },
  ...{ _dlopen_js: 0, _emscripten_dlopen_js: 0, _dlsym_js: 0 },
  ...Object.fromEntries(SYSTEM_CALLS.split(" ").map((name) => [`__syscall_${name}`, -ERRNO_ACCES])),
};

/** Before loading: the interpreter gets no function of {@link FAILURES}, not even by its native modules. */
export function closeImports(): void {
  const { instantiate } = wasm;
  wasm.instantiate = (source, imports) => {
    const { env = {} } = imports ?? {};
    for (const [name, failure] of Object.entries(FAILURES)) if (name in env) env[name] = () => failure;
    return instantiate(source, imports);
  };
}

const KEPT = new Set(
  `
    Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise
    RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON
    Math Intl ArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array
    Float64Array BigInt64Array BigUint64Array Uint8ClampedArray DataView Map BigInt Set WeakMap WeakSet WeakRef
    Proxy Reflect FinalizationRegistry SharedArrayBuffer decodeURIComponent encodeURIComponent isFinite isNaN
    TextDecoder TextEncoder WebAssembly performance crypto DOMException queueMicrotask setTimeout clearTimeout
    Buffer
  `
    .trim()
    .split(/\s+/),
);

/** After loading: removes everything from the realm except the language itself and what pyodide needs at run time. */
export function closeRealm(): void {
  for (const name of Reflect.ownKeys(globalThis))
    if (typeof name === "string" && !KEPT.has(name)) Reflect.deleteProperty(globalThis, name);
  const quiet = () => undefined;
  const console = Object.freeze({ log: quiet, warn: quiet, error: quiet, info: quiet, debug: quiet });
  const process = Object.freeze({
    versions: Object.freeze({ node: "20" }),
    argv: Object.freeze([]),
    env: Object.freeze({}),
  });
  Reflect.defineProperty(globalThis, "console", { value: console });
  Reflect.defineProperty(globalThis, "process", { value: process });
  // Errors that cross into Python must not reveal file paths.
  Reflect.defineProperty(Error, "stackTraceLimit", { value: 0, writable: false, configurable: false });
  for (const { prototype } of [Object, Function, Array, Promise, Error, memoryClass]) Object.freeze(prototype);
}

/** Files in memory do not count as memory, so writing is disabled; only the standard library is readable. */
export function closeFiles(filesystem: Filesystem): void {
  const denied = () => {
    throw new filesystem.ErrnoError(ERRNO_ACCES);
  };
  const { open, readdir } = filesystem;
  const library = (path: unknown) =>
    typeof path === "string" && /^\/lib\/python3[^/]*(\/|$)/.test(path) && !path.includes("..");
  filesystem.open = (path, flags, mode) =>
    library(path) && (flags & 3) === 0 && (flags & 0o1100) === 0 ? open.call(filesystem, path, flags, mode) : denied();
  filesystem.readdir = (path) => (library(path) ? readdir.call(filesystem, path) : denied());
  // A descriptor that was opened to read is one to write after `fcntl`.
  const { write } = filesystem;
  filesystem.write = (stream, ...rest) =>
    filesystem.isFile(stream.node.mode) ? denied() : write.call(filesystem, stream, ...rest);
  const changes = "mkdir mkdev mknod symlink rename unlink rmdir truncate ftruncate msync mount create".split(" ");
  for (const name of [...changes, "allocate", "writeFile", "createDevice", "createLazyFile", "createPreloadedFile"])
    if (name in filesystem) filesystem[name] = denied;
}

/**
 * Freezes the objects of the language and all that they and others lead to, so that a guest leaves no value in them.
 *
 * @param others - functions that the guest may call
 */
export function harden(...others: readonly object[]): void {
  const own = new Set(["globalThis", "process", "console"]);
  const kept = Reflect.ownKeys(globalThis).filter((name) => !own.has(String(name)));
  const todo: unknown[] = [...others, ...kept.map((name) => Reflect.get(globalThis, name))];
  // Their prototypes have no names.
  todo.push((function* () {})(), (async () => {})(), (async function* () {})());
  const frozen = new Set<unknown>();
  while (todo.length > 0) {
    const one = todo.pop();
    if ((typeof one !== "object" && typeof one !== "function") || one === null || frozen.has(one)) continue;
    if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer || one instanceof SharedArrayBuffer) continue;
    frozen.add(Object.freeze(one));
    todo.push(Reflect.getPrototypeOf(one));
    for (const key of Reflect.ownKeys(one)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(one, key) ?? {};
      todo.push(value, get, set);
    }
  }
}

/** What makes the objects that show JavaScript an object of Python. */
export interface ProxyMaker {
  /** Their class by what the object can do. */
  getPyProxyClass(flags: number): { readonly prototype: object };
}

/**
 * Freezes the classes of the objects that show Python to JavaScript: the program of the next run is called by one.
 *
 * @param maker - the module of the interpreter; call this before Python gives anything to JavaScript
 */
export function hardenProxies(maker: ProxyMaker): void {
  const { getPyProxyClass } = maker;
  maker.getPyProxyClass = (flags) => {
    const made = getPyProxyClass(flags);
    for (let one: object | null = made.prototype; one !== null; one = Reflect.getPrototypeOf(one)) Object.freeze(one);
    return made;
  };
}
