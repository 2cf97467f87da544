/** English singular forms of nouns in tool names, by a few rules and a table of exceptions. */

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    "analyses analysis|apis api|bonuses bonus|buses bus|caches cache|calories calorie|campuses campus|children child|cookies cookie|" +
    "cpus cpu|criteria criterion|gpus gpu|indices index|leaves leaf|matrices matrix|men man|menus menu|movies movie|people person|" +
    "phenomena phenomenon|shelves shelf|statuses status|taxis taxi|ties tie|vertices vertex|viruses virus|wives wife|women woman"
  )
    .split("|")
    .map((pair) => pair.split(" ") as [string, string]),
);

/** Words that end in `s` and are not plurals, or have no singular in names. */
const UNCHANGED: ReadonlySet<string> = new Set(
  (
    "alias analytics atlas aws bias canvas credentials css details diagnostics dns docs gas graphics insights ios js kubernetes lens " +
    "logistics mathematics news os physics pos preferences rds redis rss series settings sms sns species sqs stats statistics tls " +
    "windows"
  ).split(" "),
);

/** Singular of a word in lower case; the word itself if it is no plural. `companies` is `company`, `status` stays. */
export function singular(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (UNCHANGED.has(word) || word.length < 3 || !word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Whether a word is a plural that {@link singular} knows. */
export const isPlural = (word: string): boolean => singular(word) !== word;
