/** Settings of upstream MCP servers (`servers`), and of HTTP APIs whose operations are ops. */

/** `servers.<name>` as written. */
export interface ServerEntry {
  readonly type?: "stdio" | "http";
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly timeout?: number;
  readonly enabled?: boolean;
  /** Whether it is connected at its first call instead of at startup; default: true. */
  readonly lazy?: boolean;
  /** Whether its answers are marked as untrusted content. */
  readonly sanitize?: boolean;
  /** How often a served project compares its tools with the snapshot, such as `6h`. */
  readonly snapshot?: { readonly every?: string };
}

/** The settings of an API. Values name variables, which are read when a call needs them. */
export interface HttpSource {
  /** Replaces the description's own base address. */
  readonly server?: string;
  /** Whether defaults of optional parameters are sent; default: only what a call gives is. */
  readonly send_defaults?: boolean;
  readonly auth?: {
    readonly bearer?: string;
    readonly basic?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
  };
}
