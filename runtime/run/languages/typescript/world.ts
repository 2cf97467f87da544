/** Declarations of what programs have beside the language and the ops. */
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
