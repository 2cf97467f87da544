/** Titles of what the calls of a run are about, as a member of its record: sealed, since they are words of the user. */

import type { RunRow } from "../../state/schema.js";
import type { LogSeal } from "./log-text.js";

/** Titles by the places of the calls about which people were asked. */
export type StoredTitles = ReadonlyMap<string, string>;

/** The member of a record with titles; absent where nothing has a title, and in runs of earlier versions. */
export interface TitlesRecord {
  /** Sealed JSON. */
  readonly titles?: string;
}

/** The member of the record that stores titles. */
export const titlesRecord = (titles: StoredTitles, seal: LogSeal): TitlesRecord =>
  titles.size === 0 ? {} : { titles: seal.seal(JSON.stringify([...titles])) };

/** The titles that are stored with a run. */
export function titlesOf({ record }: Pick<RunRow, "record">, seal: LogSeal): StoredTitles {
  const { titles } = JSON.parse(record) as TitlesRecord;
  return new Map(titles === undefined ? [] : (JSON.parse(seal.open(titles)) as [string, string][]));
}
