/**
 * Metrics of the process. Each value goes to OpenTelemetry's meter if an SDK is registered, and, once
 * {@link keepMetrics} was called, to counts of our own, which `/metrics` prints. Otherwise nothing is recorded.
 *
 * The counts and their text form are our own, because they are this small: a library would take 45 ms (`prom-client`)
 * or 110 ms and 26 MB (OpenTelemetry's exporter) for the same lines.
 */

import {
  DURATION_BOUNDS,
  type InstrumentKind,
  type Instrument as Known,
  newSeries,
  prometheusText,
  type Series,
} from "./text.js";

/** Attributes of a value. Never a caller, a key, an argument or any other text that callers choose. */
export type Attributes = Readonly<Record<string, string>>;

/** Name, unit and description of an instrument. */
export interface InstrumentOptions {
  /** The name of OpenTelemetry's semantic conventions, or `toolwright.…`. */
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

/** Records values. */
export type ValueRecorder = (value: number, attributes?: Attributes) => void;

/** Most combinations of attributes of one instrument; further ones are counted together. */
const MAX_SERIES = 2000;
/** The attribute of what is counted together, as in OpenTelemetry's SDK. */
const OVERFLOW: Attributes = { "otel.metric.overflow": "true" };

const instruments = new Map<string, Known>();
let isKept = false;

/** Keeps values from now on, for {@link metricsText}. */
export function keepMetrics(): void {
  isKept = true;
}

/** Whether values go anywhere: what is costly to measure is measured only then. */
export const isMeasured = (): boolean => isKept || isExported();

/** All values in the text form of Prometheus, in a fixed order. */
export const metricsText = (): string => prometheusText([...instruments.values()]);

/** Makes an instrument that counts values by size. @example histogram({ name, unit: "s", description })(0.2) */
export const histogram = (options: InstrumentOptions): ValueRecorder => instrument("histogram", options);

/** Makes an instrument whose value only grows. @example counter({ name, unit: "{call}", description })(1) */
export const counter = (options: InstrumentOptions): ValueRecorder => instrument("counter", options);

/** Makes an instrument whose value goes up and down. @example level({ name, unit: "{run}", description })(-1) */
export const level = (options: InstrumentOptions): ValueRecorder => instrument("level", options);

/** Makes an instrument whose value is the last one that was measured. @example gauge({ name, unit: "s", description })(7) */
export const gauge = (options: InstrumentOptions): ValueRecorder => instrument("gauge", options);

function instrument(kind: InstrumentKind, options: InstrumentOptions): ValueRecorder {
  const series = new Map<string, Series>();
  const known: Known = { ...options, kind, series };
  instruments.set(options.name, known);
  return (value, attributes = {}) => {
    // A level has to know what went up before somebody asked.
    if (isKept || kind === "level") add(known, series, value, attributes);
    if (isExported()) forward(known, value, attributes);
  };
}

function add({ kind }: Known, all: Map<string, Series>, value: number, attributes: Attributes): void {
  const key = JSON.stringify(Object.entries(attributes));
  const isOver = !all.has(key) && all.size >= MAX_SERIES;
  const place = isOver ? JSON.stringify(Object.entries(OVERFLOW)) : key;
  const one = all.get(place) ?? newSeries(isOver ? OVERFLOW : attributes);
  all.set(place, one);
  one.sum = kind === "gauge" ? value : one.sum + value;
  if (kind !== "histogram") return;
  one.count++;
  const bucket = DURATION_BOUNDS.findIndex((bound) => value <= bound);
  if (bucket >= 0) one.buckets[bucket] = (one.buckets[bucket] ?? 0) + 1;
}

/** Runs work and records how long it took. @param attributesOf reads the result, or the error */
export async function timed<T>(
  record: ValueRecorder,
  work: () => Promise<T>,
  attributesOf: (ended: { readonly result: T } | { readonly error: unknown }) => Attributes,
): Promise<T> {
  const started = performance.now();
  const end = (ended: Parameters<typeof attributesOf>[0]): void =>
    record((performance.now() - started) / 1000, attributesOf(ended));
  try {
    const result = await work();
    end({ result });
    return result;
  } catch (error) {
    end({ error });
    throw error;
  }
}

/** Symbol under which every copy of OpenTelemetry's API stores a registered SDK. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

const isExported = (): boolean =>
  (globalThis as { readonly [REGISTERED]?: { readonly metrics?: unknown } })[REGISTERED]?.metrics !== undefined;

type Api = typeof import("@opentelemetry/api");
type Provider = ReturnType<Api["metrics"]["getMeterProvider"]>;

let api: Promise<Api> | undefined;
/** The instruments of each SDK. */
const forwarded = new WeakMap<Provider, Map<string, ValueRecorder>>();

/** Hands a value to the SDK. An error of the SDK loses the value, never the work. */
function forward(known: Known, value: number, attributes: Attributes): void {
  api ??= import("@opentelemetry/api");
  api.then(({ metrics }) => recorderIn(metrics.getMeterProvider(), known)(value, attributes)).catch(() => undefined);
}

function recorderIn(provider: Provider, { kind, name, unit, description }: Known): ValueRecorder {
  const all = forwarded.get(provider) ?? new Map<string, ValueRecorder>();
  forwarded.set(provider, all);
  const found = all.get(name);
  if (found) return found;
  const made = make();
  all.set(name, made);
  return made;

  function make(): ValueRecorder {
    const meter = provider.getMeter("toolwright");
    if (kind === "histogram") {
      const advice = { explicitBucketBoundaries: [...DURATION_BOUNDS] };
      const one = meter.createHistogram(name, { unit, description, advice });
      return (value, attributes) => one.record(value, attributes);
    }
    if (kind === "gauge") {
      const one = meter.createGauge(name, { unit, description });
      return (value, attributes) => one.record(value, attributes);
    }
    const one =
      kind === "counter"
        ? meter.createCounter(name, { unit, description })
        : meter.createUpDownCounter(name, { unit, description });
    return (value, attributes) => one.add(value, attributes);
  }
}
