/** One module: the files that are changed, the test files that must notice, and its limit in per cent if it has its own. */
export interface MutatedModule {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  readonly least?: number;
}

export const MODULES: Readonly<Record<string, MutatedModule>>;
