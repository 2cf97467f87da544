/** The page for an address that leads to nothing: it suggests ops, packs and aliases with a similar name. */

import { useEffect, useState } from "preact/hooks";
import type { Found } from "../../../gateway/console-data.js";
import { api } from "./api.js";
import { addressOf } from "./search.js";

/** Most entries that are suggested. */
const MAX_NEAR = 6;

/** The page; `what` says what is missing, and `name` how the address calls it. */
export function MissingPage({ what, name }: { readonly what: string; readonly name: string }) {
  const [near, setNear] = useState<readonly Found[]>([]);
  useEffect(() => {
    let isCurrent = true;
    api.search(name.replaceAll("/", " ").slice(0, 200)).then(
      ({ found }) => isCurrent && setNear(found.slice(0, MAX_NEAR)),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [name]);
  return (
    <>
      <h1>No such {what}</h1>
      <p>
        There is no {what} <code>{name}</code>, or you may not use it.
      </p>
      {near.length > 0 && (
        <nav aria-label="Near ones">
          <p>Did you mean:</p>
          <ul class="near">
            {near.map((one) => (
              <li key={`${one.kind} ${one.name}`}>
                <a href={addressOf(one)}>{one.name}</a> <span class="quiet">{one.about}</span>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <p>
        <a href="#/ops">All ops</a>
      </p>
    </>
  );
}
