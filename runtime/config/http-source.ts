/** Settings of an HTTP API whose operations are ops. */

/** The settings of an API. Values name variables, which are read when a call needs them. */
export interface HttpSource {
  /** Replaces the description's own base address. */
  readonly server?: string;
  readonly auth?: {
    readonly bearer?: string;
    readonly basic?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
  };
}
