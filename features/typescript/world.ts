/** Declarations of what programs have beside the ops: the language, and what the engine adds to it. */

/** Declarations of what the engine adds to the language. */
export const WORLD = `
declare const console: Record<"log" | "info" | "debug" | "warn" | "error" | "dir" | "table", (...values: unknown[]) => void>;
declare function setTimeout(action: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function clearTimeout(id: number | undefined): void;
declare function queueMicrotask(action: () => void): void;
declare function structuredClone<T>(value: T): T;
declare const performance: { now(): number; readonly timeOrigin: number };
declare const crypto: { randomUUID(): string; getRandomValues<T extends ArrayBufferView>(target: T): T };
declare class ToolError extends Error {
  constructor(message?: string, code?: string, op?: string, details?: unknown);
  readonly code: string;
  readonly op: string;
  readonly retryable: boolean;
  readonly details: any;
}
interface Math { sumPrecise(values: Iterable<number>): number }
declare var __format__: string | undefined;
declare var __sanitize__: boolean | undefined;
`;

/** The version of the language, and the parts of later ones that the engine has. */
const LANGUAGE = [
  "es2023",
  ...["es2024.collection", "es2024.object", "es2024.promise", "es2024.string"],
  ...["es2025.collection", "es2025.iterator", "es2025.promise", "es2025.regexp"],
].map((name) => `lib.${name}.d.ts`);
const REFERENCE = /^\/\/\/ <reference lib="([\w.]+)" *\/>$/gm;

/** What the declarations of methods of iterators keep in their module. */
const ITERATORS = "interface IteratorObjectConstructor { readonly prototype: IteratorObject<any, any, any> }\n";

/** What a module declares for all files; as a module it would make one of the whole text. */
const globalText = (text: string): string => {
  const [before, after] = text.split("declare global{");
  const references = before?.match(REFERENCE)?.join("\n") ?? "";
  return after === undefined ? text : `${references}\n${after.slice(0, after.lastIndexOf("}"))}`;
};

/**
 * All declarations, as one text: a check of many files takes a millisecond longer.
 *
 * @param files - the declarations that come with the compiler, by file name
 *
 * @example
 * worldText(new Map([["lib.es2023.d.ts", …], …]))
 */
export function worldText(files: ReadonlyMap<string, string>): string {
  const taken = new Set<string>();
  const take = (name: string): string => {
    if (taken.has(name)) return "";
    taken.add(name);
    const text = globalText(files.get(name) ?? "");
    const before = [...text.matchAll(REFERENCE)].map(([, other]) => take(`lib.${other}.d.ts`));
    return `${before.join("")}${text.replace(REFERENCE, "")}\n`;
  };
  return LANGUAGE.map(take).join("") + ITERATORS + WORLD;
}
