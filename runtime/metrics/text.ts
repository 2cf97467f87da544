/** Values of instruments, and their text form for Prometheus (version 0.0.4). */

/** What the values of an instrument mean: counted by size, only growing, up and down, or the last one measured. */
export type InstrumentKind = "histogram" | "counter" | "level" | "gauge";

/** The values with the same attributes. */
export interface Series {
  readonly attributes: Readonly<Record<string, string>>;
  sum: number;
  count: number;
  /** Values by the first of {@link DURATION_BOUNDS} that they do not exceed; those over all of them are in `count` only. */
  readonly buckets: number[];
}

/** An instrument with its values. */
export interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly kind: InstrumentKind;
  readonly series: ReadonlyMap<string, Series>;
}

/** Bounds of durations in seconds, which the semantic conventions of OpenTelemetry advise for MCP. */
export const DURATION_BOUNDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Values without any yet. */
export const newSeries = (attributes: Series["attributes"]): Series => ({
  attributes,
  sum: 0,
  count: 0,
  buckets: DURATION_BOUNDS.map(() => 0),
});

/** The instruments in the text form, in the order of their names, then of their labels. */
export const prometheusText = (instruments: readonly Instrument[]): string =>
  [...instruments]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(linesOf)
    .map((line) => `${line}\n`)
    .join("");

const TYPES: Readonly<Record<InstrumentKind, string>> = {
  histogram: "histogram",
  counter: "counter",
  level: "gauge",
  gauge: "gauge",
};

function linesOf({ name, unit, description, kind, series }: Instrument): readonly string[] {
  const plain = name.replaceAll(".", "_");
  const full = `${plain}${unit === "s" ? "_seconds" : unit === "By" ? "_bytes" : ""}${kind === "counter" ? "_total" : ""}`;
  const lines = [...series.values()]
    .map((one) => ({ one, labels: labelsOf(one.attributes) }))
    .sort((a, b) => (a.labels.join() < b.labels.join() ? -1 : 1))
    .flatMap(({ one, labels }) =>
      kind === "histogram" ? bucketsOf(full, one, labels) : [`${full}${inBraces(labels)} ${one.sum}`],
    );
  return [`# HELP ${full} ${description}`, `# TYPE ${full} ${TYPES[kind]}`, ...lines];
}

function bucketsOf(name: string, { sum, count, buckets }: Series, labels: readonly string[]): readonly string[] {
  let below = 0;
  const lines = DURATION_BOUNDS.map((bound, i) => {
    below += buckets[i] ?? 0;
    return `${name}_bucket${inBraces([...labels, `le="${bound}"`])} ${below}`;
  });
  return [
    ...lines,
    `${name}_bucket${inBraces([...labels, 'le="+Inf"'])} ${count}`,
    `${name}_sum${inBraces(labels)} ${sum}`,
    `${name}_count${inBraces(labels)} ${count}`,
  ];
}

const inBraces = (labels: readonly string[]): string => (labels.length === 0 ? "" : `{${labels.join(",")}}`);

const labelsOf = (attributes: Series["attributes"]): readonly string[] =>
  Object.entries(attributes)
    .map(([name, value]) => `${name.replaceAll(".", "_")}="${escaped(value)}"`)
    .sort();

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
