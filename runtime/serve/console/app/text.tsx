/** Components for text, most of it foreign. Foreign text is always shown as text, never as markup. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** Characters that are shown at first. */
const FIRST = 4000;

/** A failure, visible and announced to screen readers. */
export const FailureNotice = ({ text }: { readonly text: string }) => (
  <p class="failure" role="alert">
    {text}
  </p>
);

/** A time of ISO 8601 in UTC, to the minute. */
export const At = ({ time }: { readonly time: string }) => (
  <time dateTime={time}>{time.slice(0, 16).replace("T", " ")} UTC</time>
);

/** Placeholder until an answer arrives. */
export const Loading = () => (
  <p class="quiet" role="status">
    Loading…
  </p>
);

interface ForeignProps {
  readonly text: string;
  readonly class: string;
  /** Characters that are shown at first. */
  readonly first?: number;
  /** Shows the text, or the beginning of it. */
  readonly children: (shown: string) => ComponentChildren;
}

/** A foreign text; a long one is cut until you ask for the rest. */
export function Foreign({ text, class: kind, first = FIRST, children }: ForeignProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, first);
  return (
    <div class={kind}>
      {children(shown)}
      {shown.length < text.length && (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {text.length.toLocaleString("en")} characters
          </button>
        </p>
      )}
    </div>
  );
}

/** Text with its line breaks and http(s) links. */
export const Prose = ({ text }: { readonly text: string }) => (
  <Foreign text={text} class="prose">
    {(shown) => <Linked text={shown} />}
  </Foreign>
);

const LINK = /(https?:\/\/[^\s<>"'`)\]}]+)/g;

/** Text whose http(s) addresses are links. */
export const Linked = ({ text }: { readonly text: string }) => (
  <>
    {text.split(LINK).map((part, at) =>
      at % 2 === 1 ? (
        <SiteLink key={at} address={part}>
          {part}
        </SiteLink>
      ) : (
        part
      ),
    )}
  </>
);

/** A link to another site; only its content if the address is no URL of http or https. */
export const SiteLink = ({ address, children }: { readonly address: string; readonly children: ComponentChildren }) =>
  /^https?:\/\//i.test(address) && URL.canParse(address) ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    children
  );

/** A heading with its content. */
export const PagePart = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="part">
    <h2>{title}</h2>
    {children}
  </section>
);

/** A time of day: `14:03:59`. */
export const clockTime = (at: number): string => new Date(at).toLocaleTimeString("en-GB");
