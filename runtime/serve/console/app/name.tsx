/** The name of an op, pack or server, which breaks after its dots, underscores and hyphens where it is too long. */

/** The name. */
export const Name = ({ text }: { readonly text: string }) => (
  <span class="mono">
    <Breakable text={text} />
  </span>
);

/** A text with places where it may break. */
export const Breakable = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(?<=[._-])(?=[^._-])/).map((part, at) => (
      <>
        {at > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
);
