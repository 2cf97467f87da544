/**
 * The types between the stages of the generator: one type per stage, so that no stage can be skipped.
 *
 * `Definition → LinkedDefinition → NormalizedDefinition → OpDraft → Tool`. The registry itself is declared in the seam, since
 * generated code, generator and runtime must agree on it.
 */

import type { HttpCall } from "../../runtime/contract/http-call.js";
import type { NormalSchema } from "../../runtime/contract/normal-schema.js";
import type { PackDefinition } from "../../runtime/contract/pack.js";
import type {
  Annotations,
  Constraint,
  Example,
  FunctionCall,
  JsonObject,
  JsonSchema,
  Kind,
  LearnedResult,
  LearnedWords,
  Level,
  Lifecycle,
  Policy,
  TargetScope,
  Tool,
  ToolRequest,
} from "../../runtime/contract/registry.js";
import type { Compiled } from "./compile.js";
import type { Place } from "./diagnostic.js";

/** One tool as a Source read it. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly result?: JsonSchema;
  readonly annotations: Partial<Annotations>;
  readonly pack: string;
  /** Default kind of the source, for tools whose name does not decide it. */
  readonly kind?: Kind;
  /** What the source declares about the op; configuration overrides it. */
  readonly declared?: Declared;
  /** What the source declares about its pack; configuration overrides it key by key. */
  readonly pack_entry?: PackEntry;
  /** How the function that handles it is called; absent if handlers are bound elsewhere. */
  readonly call?: FunctionCall;
  /** How its HTTP request is made. */
  readonly http?: HttpCall;
  /** What the description of its API demands and answers beside that. */
  readonly api?: Pick<ToolRequest, "security" | "answers">;
  readonly lifecycle?: Lifecycle;
  readonly topic?: string;
  readonly origin: Tool["source"]["kind"];
  /** Set for a pack that comes with the package. */
  readonly shipped?: true;
  readonly place: Place;
  /** Members whose names are misspelt, so that nothing reads them. */
  readonly misspelt?: readonly MisspeltMember[];
  /** Place of a part of `parameters` by its JSON Pointer, or of the nearest part that is known. */
  readonly placeAt?: (pointer: string) => Place;
}

/** A member that nothing reads, and the known name that it is near to. */
export interface MisspeltMember {
  readonly name: string;
  readonly meant: string;
  /** Pointer from where `placeAt` of the definition begins; absent if the place of the tool has to do. */
  readonly pointer?: string;
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

/** A linked definition with its input in normal form: what an op and a kind follow from. */
export interface NameableDefinition extends LinkedDefinition {
  readonly input: NormalSchema;
}

/** A linked definition with its schemas in normal form, without defaults that do not fit. */
export interface NormalizedDefinition extends NameableDefinition {
  /** The input schema with `allOf` merged at its root, for looking up arguments. */
  readonly shape: JsonSchema;
  /** The validator of `parameters`: checks examples, and is printed. */
  readonly compiled: Compiled;
  readonly output?: NormalSchema;
}

/** A classified definition: it has an op. */
export interface OpDraft extends NormalizedDefinition, Classified {}

/** A definition with its op, whose schemas are not checked. */
export interface NamedDefinition extends NameableDefinition, Classified {}

/** What the classification adds to a definition. */
export interface Classified {
  readonly op: string;
  /** That of its op. */
  readonly pack: string;
  /** The pack of its source, if its op is in another one, `pack`. */
  readonly source_pack?: string;
  /** Where the op is from: `ops`, `@op`, a name rule of the pack, all names of the pack, or the tool's own name only. */
  readonly named_by: "configured" | "declared" | "rule" | "inferred" | "name";
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
  /** Reasons for `explain`, one line per decision. */
  readonly because: readonly string[];
  /** Configured argument aliases: alias to argument. */
  readonly renames: Readonly<Record<string, string>>;
  readonly author_notes: readonly string[];
  readonly author_examples: readonly JsonObject[];
  readonly constraints: readonly Constraint[];
}

/** A draft with everything that is extracted from its prose and schema. */
export interface Extracted extends OpDraft {
  readonly summary: string;
  readonly parameter_list: Tool["parameters"];
  readonly signature: Tool["signature"];
  readonly notes: readonly string[];
  readonly policy?: Policy;
  readonly examples: readonly Example[];
  /** The type of its results that calls showed, if it declares none. */
  readonly learned?: LearnedResult;
  /** Words by which callers look for it. */
  readonly words?: LearnedWords;
}

/** `packs.<pack>`. */
export interface PackEntry extends PackDefinition {
  readonly target?: TargetScope;
}
