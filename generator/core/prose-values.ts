/** Reads lists of all allowed values from descriptions: "Valid values: todo, doing, done". In doubt there is no list. */

/** Longest description that is read, in characters, and most values of a list. */
const MAX_TEXT_LENGTH = 2000;
const MAX_VALUES = 60;

/** Words after which a list may not be all that is allowed. */
const OPEN =
  /\b(?:etc|e\.?g|i\.?e|such as|for (?:example|instance)|examples?|incl(?:\.|ud(?:es?|ing))|among others|and (?:more|others|so on)|(?:any )?other|others|custom|arbitrary|free[- ]?(?:form|text)|comma|space[- ]separated|separated|delimited|combin\w+|multiple|several|one or more|pattern|regex\w*|wildcards?|case[- ]insensitive|prefix\w*|lists? of|at least|empty|blank|common|typical\w*|usually|currently|depend\w*|deprecated|or an?|or the|or any)\b|\.\.\.|…/i;

const LABELS = "state|status|mode|kind|priority|level|type|visibility|scope|severity|direction|role|order";

/** A text after which the values follow, and what the values may look like. */
interface Start {
  readonly form: RegExp;
  readonly value: "any" | "quoted" | "word";
}

const STARTS: readonly Start[] = [
  {
    form: /\b(?:valid|allowed|accepted|supported|possible|permitted)(?: \w+)? (?:values?|options?|states?|types?|statuses|modes?|kinds?|levels?)(?: are| is)?\s*:\s*/gi,
    value: "any",
  },
  { form: /(?:^|[.;(]\s*|\n\s*)(?:values|options|choices|allowed|states|one of|either)\s*:\s*/gi, value: "any" },
  {
    form: /\b(?:must be|can be|is|be) (?:exactly )?one of(?: the following(?: values)?| these(?: values)?)?\s*:\s*/gi,
    value: "any",
  },
  // `The cloud provider (aws, azure, gcp).`, at the beginning and in a sentence of its own.
  { form: /^(?!.*\bmust\b)[^.()\n]{0,80}\((?=[^(),]+,[^(),]+,[^()]*\)\s*(?:\.|$))/gi, value: "word" },
  { form: new RegExp(`\\b(?:${LABELS})s?\\s*:\\s*`, "gi"), value: "word" },
  { form: new RegExp(`\\b(?:${LABELS})s?(?: to \\w+)?\\s*\\(\\s*`, "gi"), value: "word" },
  {
    form: /\b(?:one of|either|must be|can be|(?:valid|allowed|accepted|supported|possible|permitted) (?:values?|options?|states?|types?|modes?)(?: are| is)?)(?: the following)?\s*:?\s*(?=["'`“‘])/gi,
    value: "quoted",
  },
];

/** `State: active | archived`: words with bars between them, to the end of the text or of the sentence. */
const BARS = /(?:^|[:(]\s*)((?:["'`]?[\w.-]+["'`]?\s*\|\s*)+["'`]?[\w.-]+["'`]?)\s*(?=$|[.;,)\n])/g;

const QUOTED_VALUE = /^(?:"([^"\n]{1,60})"|'([^'\n]{1,60})'|`([^`\n]{1,60})`|“([^”\n]{1,60})”|‘([^’\n]{1,60})’)/;
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[\p{L}\p{N}_-]|[.:](?=[\p{L}\p{N}]))*/u;
/** What explains a value: `(newest first)`. */
const GLOSS = /^\s*\([^()\n]{0,200}\)/;
const BETWEEN = /^\s*(?:,\s*(?:or|and)\s+|,\s*|\|\s*|\/\s*|\s(?:or|and)\s+)/;
const END = /^\s*(?:$|[.;)\n\]])/;

/** Words that are no values, without quotation marks. */
const NO_VALUES: ReadonlySet<string> = new Set(
  "a an the if when where which that this these those for from of in on to with is are be not use used string number integer boolean true false null".split(
    " ",
  ),
);

/** The values that a description lists as all that is allowed; undefined if it lists none, or may allow others. */
export function listedValues(description: string): readonly string[] | undefined {
  const text = description.slice(0, MAX_TEXT_LENGTH);
  if (text.length < description.length || OPEN.test(text)) return undefined;
  const found = [
    ...STARTS.flatMap((start) => listsAfter(text, start)),
    ...[...text.matchAll(BARS)].map(([, list = ""]) => barred(list)),
  ];
  const lists = new Map(found.filter(isList).map((list) => [JSON.stringify([...list].sort()), list]));
  const [only, ...others] = lists.values();
  return others.length === 0 ? only : undefined;
}

const isList = (values: readonly string[]): boolean =>
  values.length >= 2 &&
  values.length <= MAX_VALUES &&
  new Set(values).size === values.length &&
  // Numbers alone are a range or a version.
  values.some((one) => /\p{L}/u.test(one));

function barred(list: string): readonly string[] {
  const words = list.split("|").map((one) => one.trim());
  return words.some((one) => NO_VALUES.has(one.toLowerCase())) ? [] : words.map((one) => one.replace(/["'`]/g, ""));
}

const listsAfter = (text: string, { form, value }: Start): readonly (readonly string[])[] =>
  [...text.matchAll(form)]
    .map((match) => listAt(text.slice(match.index + match[0].length), value === "quoted"))
    // After a mere label, what has a dot in it is a name that serves as an example.
    .filter((values) => value !== "word" || !values.some((one) => one.includes(".")));

/** The list that a text begins with; empty unless it ends with a sentence. */
function listAt(text: string, isQuoted: boolean): readonly string[] {
  const values: string[] = [];
  for (let rest = text; values.length <= MAX_VALUES; ) {
    const quoted = QUOTED_VALUE.exec(rest);
    const [whole] = quoted ?? (isQuoted ? [] : (PLAIN_VALUE.exec(rest) ?? []));
    if (whole === undefined || NO_VALUES.has(whole.toLowerCase())) return [];
    values.push(
      quoted
        ?.slice(1)
        .find((one) => one !== undefined)
        ?.replace(/[.,;]$/, "") ?? whole,
    );
    rest = rest.slice(whole.length);
    rest = rest.slice(GLOSS.exec(rest)?.[0].length ?? 0);
    if (END.test(rest)) return values;
    const [between] = BETWEEN.exec(rest) ?? [];
    if (between === undefined) return [];
    rest = rest.slice(between.length);
  }
  return [];
}
