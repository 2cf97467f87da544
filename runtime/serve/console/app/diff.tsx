/** Lines that were added and removed. */

const KINDS: ReadonlyMap<string, string> = new Map([
  ["+", "added"],
  ["-", "removed"],
  ["@", "quiet"],
]);

interface DiffProps {
  /** Each begins with its sign: `+`, `-`, `@` or a space. */
  readonly lines: readonly string[];
  readonly label: string;
}

/** A diff in a scrollable frame. */
export const Diff = ({ lines, label }: DiffProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
  <section class="code diff" tabIndex={0} aria-label={label}>
    <pre>
      {lines.map((line, at) => (
        <span key={at} class={KINDS.get(line.charAt(0)) ?? ""}>
          {line === "" ? " " : line}
        </span>
      ))}
    </pre>
  </section>
);
