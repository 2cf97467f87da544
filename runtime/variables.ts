/** Variables in configuration: `${VAR}` and `${VAR:-default}` (decision D7). */

/** Replaces `${VAR}` and `${VAR:-default}`; a variable without value and default is added to `missing` and reads as empty. */
export function expandVariables(text: string, lookup: (name: string) => string | undefined, missing: string[]): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, fallback: string | undefined) => {
      const value = lookup(name);
      if (value !== undefined && value !== "") return value;
      if (fallback === undefined && value === undefined) missing.push(name);
      return fallback ?? value ?? "";
    },
  );
}
