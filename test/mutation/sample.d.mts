/** A mutant, as far as the sample depends on it. */
interface SampledMutant {
  readonly id: string;
  readonly fileName: string;
  readonly location: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number; readonly column: number };
  };
  readonly mutatorName: string;
  readonly replacement: string;
}

/** The checker, as Stryker calls it. */
interface Checker {
  init(): Promise<void>;
  group(mutants: readonly SampledMutant[]): Promise<readonly (readonly string[])[]>;
  check(mutants: readonly SampledMutant[]): Promise<Readonly<Record<string, { readonly status: string }>>>;
}

export const strykerPlugins: readonly [{ readonly injectableClass: new () => Checker }];
