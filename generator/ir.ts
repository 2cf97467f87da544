/**
 * What flows between the stages: one type a stage, so that a stage cannot be skipped.
 *
 * `Definition → LinkedDefinition → NormalizedDefinition → Draft → Tool`. The registry itself is declared in the seam, since
 * generated code, generator and runtime must agree on it.
 */

import type {
  Annotations,
  Constraint,
  Example,
  FunctionCall,
  HttpCall,
  JsonObject,
  JsonSchema,
  Kind,
  Level,
  NormalSchema,
  Policy,
  TargetScope,
  Tool,
} from "toolwright/codegen";
import type { Compiled } from "./compile.js";
import type { PackEntry } from "./config.js";
import type { Place } from "./diagnostic.js";

/** What a person wrote, one tool, as a Source read it. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly result?: JsonSchema;
  readonly annotations: Partial<Annotations>;
  readonly pack: string;
  /** Default kind of the source, for tools whose name does not say. */
  readonly kind?: Kind;
  /** What the source says about the op beside its name; configuration wins. */
  readonly declared?: Declared;
  /** What the source says about its pack; configuration wins, key by key. */
  readonly pack_entry?: PackEntry;
  /** How the function that handles it is called; absent where handlers are bound elsewhere. */
  readonly call?: FunctionCall;
  /** How the HTTP request that carries it out is made. */
  readonly http?: HttpCall;
  readonly origin: Tool["source"]["kind"];
  /** Set for a pack that comes with the package. */
  readonly shipped?: true;
  readonly place: Place;
}

/** What a source declares about an op. */
export interface Declared {
  readonly op?: string;
  readonly kind?: Kind;
  readonly access?: Level;
  readonly target?: TargetScope;
  readonly project_from?: string;
  readonly examples?: readonly JsonObject[];
}

/** A definition whose references resolve inside its own schema and whose name is unique in its pack. */
export interface LinkedDefinition extends Definition {
  /** Every reference leads to a place inside its own schema. */
  readonly linked: true;
}

/** A linked definition with its schemas in normal form; defaults that do not fit are gone. */
export interface NormalizedDefinition extends LinkedDefinition {
  /** The input schema with `allOf` merged at its root: where arguments are looked up. */
  readonly shape: JsonSchema;
  /** The validator of `parameters`: what examples are checked with, and what is printed. */
  readonly compiled: Compiled;
  readonly input: NormalSchema;
  readonly output?: NormalSchema;
}

/** A classified definition: it has an op. */
export interface Draft extends NormalizedDefinition {
  readonly op: string;
  /** Key of its entry under `ops`: `<pack>/<tool>` or the tool's name. */
  readonly config_key: string;
  readonly op_kind: Kind;
  readonly access: Level;
  readonly target: TargetScope;
  readonly project_from?: string;
  readonly entity?: string;
  readonly action: string;
  readonly aliases: readonly string[];
  readonly hints: Annotations;
  readonly dry_run: boolean;
  /** Why: one line a decision, for `explain`. */
  readonly because: readonly string[];
  /** Configured argument aliases: alias to argument. */
  readonly renames: Readonly<Record<string, string>>;
  readonly author_notes: readonly string[];
  readonly author_examples: readonly JsonObject[];
  readonly constraints: readonly Constraint[];
}

/** A draft with everything that prose and schema say about it. */
export interface Extracted extends Draft {
  readonly summary: string;
  readonly parameter_list: Tool["parameters"];
  readonly signature: Tool["signature"];
  readonly notes: readonly string[];
  readonly policy?: Policy;
  readonly examples: readonly Example[];
}
