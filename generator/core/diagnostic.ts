/** Collects and formats diagnostics: coded messages about definitions or configuration, each with a place and a remedy. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { onLine } from "../../runtime/contract/message-text.js";
import type { Rule, Severity } from "./rule.js";
import { type DiagnosticCode, type ParamsOf, RULES } from "./rules.js";

/**
 * A place in a file. Line and column count from 1; 0 if only the file is known.
 *
 * @example
 * const linkTo = ({ file, line }: Place): string => (line > 0 ? `${file}#L${line}` : file);
 */
export interface Place {
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * One finding about a definition or the configuration.
 *
 * @example
 * const shown = ({ file, line, severity, message, fix }: Diagnostic): string =>
 *   `${file}:${line} ${severity}: ${message}; ${fix}`;
 */
export interface Diagnostic extends Place {
  /** A code of the catalogue, or of a feature. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
  /** Set if it is about a definition that the project does not write: a tool of a server, an operation of an API. */
  readonly foreign?: true;
}

/** The part of a definition that a diagnostic needs. */
export interface Subject {
  readonly origin: "local" | "proxy" | "http";
  readonly place: Place;
  /** Place of a part of its input schema by its JSON Pointer, or of the nearest part that is known; absent if none is. */
  readonly placeAt?: (pointer: string) => Place;
}

/** Place of a part of the input schema of a definition; that of the definition for the root or if no part is known. */
export const placeWithin = (one: Pick<Subject, "place" | "placeAt">, pointer: string): Place =>
  pointer === "" ? one.place : (one.placeAt?.(pointer) ?? one.place);

/** Faults of foreign tools that the configuration of the project can correct. */
const CONFIGURED: ReadonlySet<string> = new Set<DiagnosticCode>(["op-collision"]);

/** Collects diagnostics of one build. */
export class Report {
  readonly #found: Diagnostic[] = [];
  readonly #subjects = new WeakMap<Diagnostic, string>();
  /** Applies what the configuration says about diagnostics to all of them; by default they stay as they are. */
  judge = (found: readonly Diagnostic[]): readonly Diagnostic[] => found;

  /** Adds one diagnostic. */
  add<C extends DiagnosticCode>(code: C, place: Place, params: ParamsOf<C>): void {
    this.addOf(code, RULES[code] as unknown as Rule<ParamsOf<C>>, place, params);
  }

  /** Adds one diagnostic by the rule of a feature. */
  addOf<P>(code: string, { severity, message, fix }: Rule<P>, place: Place, params: P): void {
    this.#push({ code, severity, ...place, message: message(params), fix: fix(params) }, params);
  }

  #push(one: Diagnostic, params: unknown): void {
    const { op, tool = op } = params as { readonly op?: unknown; readonly tool?: unknown };
    this.#found.push(one);
    if (typeof tool === "string") this.#subjects.set(one, tool);
  }

  /** The tool or the op that a diagnostic names, if it is about one. */
  subjectOf = (one: Diagnostic): string | undefined => this.#subjects.get(one);

  /**
   * Adds one diagnostic about a definition. For tools of a proxied server and operations of an HTTP API, which the project does not
   * control, an error becomes a warning, and only that tool is left out.
   *
   * @param pointer the part of its input schema that it is about
   */
  addAbout<C extends DiagnosticCode>(one: Subject, code: C, params: ParamsOf<C>, pointer = ""): void {
    this.add(code, placeWithin(one, pointer), params);
    const last = this.#found.pop();
    if (!last) return;
    const softened = one.origin !== "local" && last.severity === "error";
    const remedy = CONFIGURED.has(code) ? `; ${last.fix}` : "";
    this.#push(softened ? { ...last, severity: "warning", fix: `the tool is left out${remedy}` } : last, params);
  }

  /** Whether a diagnostic is an error, which stops the build. */
  get failed(): boolean {
    return this.#found.some((one) => one.severity === "error");
  }

  /** All diagnostics, sorted by file, line, column, code and message, without duplicates. */
  sorted(): readonly Diagnostic[] {
    const keyed = new Map(this.#found.map((one) => [formatDiagnostic(one), one]));
    return [...this.judge([...keyed.values()])].sort(
      (a, b) =>
        byCodeUnit(a.file, b.file) ||
        a.line - b.line ||
        a.column - b.column ||
        byCodeUnit(a.code, b.code) ||
        byCodeUnit(a.message, b.message),
    );
  }
}

/** `definitions/onto/read.ts:40:6`, or only the file if the line is unknown. */
export const formatPlace = ({ file, line, column }: Place): string => (line > 0 ? `${file}:${line}:${column}` : file);

/** `definitions/onto/read.ts:40:6 error op-collision  message; fix`, always on one line. */
export function formatDiagnostic(one: Diagnostic): string {
  return onLine(`${formatPlace(one)} ${one.severity} ${one.code}  ${one.message}; ${one.fix}`);
}

/** Place, fact and remedy, for a reader who cannot look up codes. */
export const shortDiagnostic = ({ file, line, message, fix }: Diagnostic): string =>
  onLine(`${file}:${line} ${message}; ${fix}`);
