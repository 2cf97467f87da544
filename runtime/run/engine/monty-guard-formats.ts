/** Formats of values, `:>8` of `f"{x:>8}"`, that Monty writes as Python does under a check. */

/** Format specifications that Monty writes as Python does, with the check of the value. */
const SPECS: readonly (readonly [spec: RegExp, check: string])[] = [
  [/^:(?:[^{}]?[<>^])?(?:[1-9]\d*)?$/, "__padded"],
  [/^:(?:[^{}]?[<>^])?(?:[1-9]\d*)?s$/, "__string"],
  [/^:[+]?0?(?:[1-9]\d*)?(?:\.\d+)?[f%]$/, "__number"],
  [/^:(?:[^{}]?[<>^])(?:[1-9]\d*)?(?:\.\d+)?[f%]$/, "__number"],
  [/^:[+]?0?(?:[1-9]\d*)?[dxXob]$/, "__integer"],
  [/^:(?:[^{}]?[<>^])[+]?(?:[1-9]\d*)?[dxXob]$/, "__integer"],
];
/** Specifications of what a conversion, as `!r`, makes: a text. */
const TEXT_SPEC = /^:(?:[^{}]?[<>^])?(?:[1-9]\d*)?s?$/;

/** Whether Monty writes a replacement with a conversion and this specification as Python does. */
export const isTextSpec = (spec: string): boolean => TEXT_SPEC.test(spec);

/** The check for a value that is formatted: none where no check is enough. */
export function specCheck(spec: string): string | undefined {
  return SPECS.find(([pattern]) => pattern.test(spec))?.[1] ?? grouped(spec)?.check;
}

/** A format that groups thousands: `:,`, `:>12,.2f`. */
const GROUPED = /^:([^{}]?[<>^])?([1-9]\d*)?,(?:\.(\d{1,2})f|d)?$/;

/** What makes the text of a value with commas between thousands, and the format of that text; undefined for any other format. */
export function grouped(spec: string): { readonly check: string; readonly padding: string } | undefined {
  const [found, align = ">", width = "", digits = "None"] = GROUPED.exec(spec) ?? [];
  if (found === undefined) return undefined;
  return {
    check: `__grouped(${Number.isNaN(Number(digits)) ? digits : Number(digits)})`,
    padding: width && `:${align}${width}`,
  };
}
