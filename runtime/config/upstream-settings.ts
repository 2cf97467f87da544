/** Settings of upstream MCP servers (`servers`), and of HTTP APIs whose operations are ops. */

import type { ConnectionConfig } from "./connection-settings.js";
import type { LearnConfig } from "./learn-settings.js";

/** `servers.<name>` as written. */
export interface ServerEntry {
  readonly type?: "stdio" | "http";
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How toolwright gets tokens for it. */
  readonly auth?: ConnectionConfig;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in which its command runs, relative to the project's. */
  readonly cwd?: string;
  /** The tools of which there are ops; default: all. The generator reads it. */
  readonly tools?: { readonly only?: readonly string[]; readonly except?: readonly string[] };
  /** Seconds. */
  readonly timeout?: number;
  /** Largest answer in bytes. */
  readonly answer_bytes?: number;
  readonly enabled?: boolean;
  /** Whether it is connected at its first call instead of at startup; default: true. */
  readonly lazy?: boolean;
  /** Whether its answers are marked as untrusted content. */
  readonly sanitize?: boolean;
  /** How a write passes its idempotency key on: in this argument of tools that have it. */
  readonly idempotency?: { readonly argument?: string };
  /** How often a served project compares its tools with the snapshot, such as `6h`. */
  readonly snapshot?: { readonly every?: string; readonly principal?: string };
  /** What is learned from its calls. */
  readonly learn?: LearnConfig;
}

/** The settings of an API. Values name variables, which are read when a call needs them. */
export interface HttpSource {
  /** Replaces the description's own base address. */
  readonly server?: string;
  /** Whether defaults of optional parameters are sent; default: only what a call gives is. */
  readonly send_defaults?: boolean;
  /** How a write passes its idempotency key on: in this header. */
  readonly idempotency?: { readonly header?: string };
  readonly auth?: ConnectionConfig & {
    readonly bearer?: string;
    readonly basic?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
  };
}
