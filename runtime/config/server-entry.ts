/** An upstream MCP server in `toolwright.yaml`. */

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
}
