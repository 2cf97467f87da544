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
declare var __format__: string | undefined;
declare var __sanitize__: boolean | undefined;
`;

/** The version of the language. */
const LANGUAGE = "lib.es2023.d.ts";
const REFERENCE = /^\/\/\/ <reference lib="([\w.]+)" *\/>$/gm;

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
    const text = files.get(name) ?? "";
    const before = [...text.matchAll(REFERENCE)].map(([, other]) => take(`lib.${other}.d.ts`));
    return `${before.join("")}${text.replace(REFERENCE, "")}\n`;
  };
  return take(LANGUAGE) + WORLD;
}
