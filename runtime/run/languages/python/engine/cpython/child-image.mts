/**
 * The state of the interpreter before a program, to be put back after it: the linear memory, the stack pointer and the
 * file system. Part of the child program.
 */

import { clearBytes, copyChanged } from "../../../../engine/child-link.mjs";

/** An open file. */
interface Stream {
  readonly node: { readonly mode: number };
}

/** The file system of the interpreter. */
export interface Filesystem extends Record<string, unknown> {
  readonly ErrnoError: new (errno: number) => Error;
  open(path: string, flags: number, mode?: number): unknown;
  readdir(path: string): unknown;
  isFile(mode: number): boolean;
  write(stream: Stream, ...rest: readonly unknown[]): number;
}

/** What is put back of pyodide. */
export interface Restorable {
  readonly FS: Filesystem;
  readonly _module: {
    /** The memory of the interpreter: another view once it has grown. */
    readonly HEAPU8: Uint8Array;
    readonly hiwire: { num_keys(): number };
    /** The object that a place in the table of references has; it fails beyond the end of the table. */
    __hiwire_get(place: number): unknown;
    /** The functions of the interpreter, by number. */
    readonly wasmTable: { readonly length: number };
    /** Where the arguments of a call to the system are. */
    readonly SYSCALLS: object;
    stackSave(): number;
    stackRestore(pointer: number): void;
  };
}

/** What a program has done that a restore cannot undo. */
export interface Restored {
  /** Bytes by which the memory has grown: they are zero again, and stay. */
  readonly grown: number;
  /** References to objects of JavaScript that it has added, removed or replaced, and functions that it has added. */
  readonly touched: number;
}

type Fields = Record<PropertyKey, unknown>;

/** The values of an object that can be written; of an array, its length too. */
function valuesOf(one: object): ReadonlyMap<PropertyKey, unknown> {
  const values = new Map<PropertyKey, unknown>();
  for (const key of Reflect.ownKeys(one)) {
    const { value, writable } = Reflect.getOwnPropertyDescriptor(one, key) ?? {};
    if (writable) values.set(key, value);
  }
  return values;
}

/**
 * Records the values of an object and of all objects that they lead to.
 *
 * @returns a function that writes back what differs
 */
function recorded(root: object): () => void {
  const held = new Map<object, ReadonlyMap<PropertyKey, unknown>>();
  const todo: unknown[] = [root];
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    if (typeof one !== "object" || one === null || held.has(one)) continue;
    if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) continue;
    const values = valuesOf(one);
    held.set(one, values);
    for (const value of values.values()) if (value !== undefined) todo.push(value);
  }
  return () => {
    for (const [one, values] of held) {
      const fields = one as Fields;
      for (const [key, value] of values) if (!Object.is(fields[key], value)) fields[key] = value;
      if (!Array.isArray(one)) for (const key in one) if (!values.has(key)) delete fields[key];
    }
  };
}

/** The objects in the table of references, by place. */
function referenced({ __hiwire_get: get }: Restorable["_module"]): readonly unknown[] {
  const found: unknown[] = [];
  try {
    for (;;) found.push(get(found.length));
  } catch {
    return found;
  }
}

/**
 * Takes an image of the interpreter. Nothing of the event loop may run from here on: a finalizer would release what the
 * memory holds again after a restore.
 *
 * @param store - bytes that may be overwritten: the memory is kept there if they are enough
 * @returns a function that puts everything back
 * @example
 * const restore = imageOf(python, bytes);
 * main("…");
 * const { grown, touched } = restore();
 */
export function imageOf({ FS, _module }: Restorable, store: Uint8Array): () => Restored {
  const { HEAPU8: memory, hiwire } = _module;
  const image = store.length < memory.length ? memory.slice() : store.subarray(-memory.length);
  copyChanged(memory, image);
  const stack = _module.stackSave();
  const references = hiwire.num_keys();
  const functions = _module.wasmTable.length;
  const kept = referenced(_module);
  const restoreFiles = recorded([FS, _module.SYSCALLS]);
  return () => {
    // As many as before may be others: the numbers of those that were there would lead to them.
    const other = kept.filter((one, place) => !Object.is(_module.__hiwire_get(place), one)).length;
    const added = Math.abs(hiwire.num_keys() - references) + Math.abs(_module.wasmTable.length - functions);
    const touched = added + other;
    const used = _module.HEAPU8;
    copyChanged(image, used);
    clearBytes(used.subarray(image.length));
    _module.stackRestore(stack);
    restoreFiles();
    return { grown: used.length - image.length, touched };
  };
}
