/**
 * Declares keys of a configuration file. A declaration is at once the shape that is checked, the sentence that editors and the
 * reference show, the default, and the type of the value.
 */

/** What a value must look like: a small subset of JSON Schema. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Shape;
  readonly items?: Shape;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  /** Of a text: words with | between them, as `^(?:on|off)$`. */
  readonly pattern?: string;
  readonly format?: "date";
}

declare const TYPES: unique symbol;

/** What a declaration says beside the shape. */
interface Said {
  /** One sentence for editors and for the reference. */
  readonly description?: string;
  /** The value of a project that does not set the key. */
  readonly preset?: unknown;
  readonly isRequired?: boolean;
  /** Whether `${NAME}` in its texts is expanded. */
  readonly isExpanded?: boolean;
  /** Whether its texts are masked wherever a configuration is shown. */
  readonly isSecret?: boolean;
}

/**
 * A declared key. `W` is the type of its value as it is written, `F` the type after defaults were filled in, which includes
 * undefined for a key without a default.
 */
export interface Setting<out W = unknown, out F = unknown> extends Shape, Said {
  readonly properties?: DeclaredKeys;
  readonly additionalProperties?: false | Setting;
  readonly items?: Setting;
  /** Only in the types. */
  readonly [TYPES]?: readonly [W, F];
}

/** Declared keys by name. */
export type DeclaredKeys = Readonly<Record<string, Setting>>;

/** The type of a value as it is written in the file. */
export type Written<S extends Setting> = S extends Setting<infer W, unknown> ? W : never;

/** The type of a value after defaults were filled in. */
export type Filled<S extends Setting> = S extends Setting<unknown, infer F> ? F : never;

type WithPreset<T, P> = Setting<T, P extends undefined ? T | undefined : T>;
type Required<S extends Setting> = S & { readonly isRequired: true };
type Flat<T> = { readonly [K in keyof T]: T[K] };
type RequiredIn<M> = { [K in keyof M]: M[K] extends { readonly isRequired: true } ? K : never }[keyof M];
type PresetIn<M extends DeclaredKeys> = { [K in keyof M]: undefined extends Filled<M[K]> ? never : K }[keyof M];
type WrittenGroup<M extends DeclaredKeys> = Flat<
  { readonly [K in Exclude<keyof M, RequiredIn<M>>]?: Written<M[K]> } & {
    readonly [K in RequiredIn<M>]: Written<M[K]>;
  }
>;
type FilledGroup<M extends DeclaredKeys> = Flat<
  { readonly [K in Exclude<keyof M, PresetIn<M> | RequiredIn<M>>]?: Written<M[K]> } & {
    readonly [K in Exclude<PresetIn<M>, RequiredIn<M>>]: Filled<M[K]>;
  } & { readonly [K in RequiredIn<M>]: Written<M[K]> }
>;

/** A map with exactly these keys. */
export interface SettingGroup<M extends DeclaredKeys, P = undefined>
  extends Setting<
    WrittenGroup<M>,
    [PresetIn<M>, P] extends [never, undefined] ? WrittenGroup<M> | undefined : FilledGroup<M>
  > {
  readonly properties: M;
}

const declare = (shape: Shape, description?: string, preset?: unknown): Setting<never, never> => ({
  ...(description === undefined ? {} : { description }),
  ...shape,
  ...(preset === undefined ? {} : { preset }),
});

/** Any text. */
export const text = <const P extends string | undefined = undefined>(
  about?: string,
  preset?: P,
): WithPreset<string, P> => declare({ type: "string" }, about, preset);

/** A text, or null, which is the default. */
export const nullable = (about: string): Setting<string | null, string | null> =>
  declare({ type: ["string", "null"] }, about, null);

/** A text of at least one character. */
export const filled = (about?: string): Setting<string, string | undefined> =>
  declare({ type: "string", minLength: 1 }, about);

/** A day, `YYYY-MM-DD`. */
export const day = (about: string): Setting<string, string | undefined> =>
  declare({ type: "string", format: "date" }, about);

/** `true` or `false`. */
export const flag = <const P extends boolean | undefined = undefined>(
  about?: string,
  preset?: P,
): Setting<boolean, P extends undefined ? boolean | undefined : boolean> => declare({ type: "boolean" }, about, preset);

/** An integer of a range, both ends included; without a maximum, from the minimum up. */
export const integer = <P extends number | undefined = undefined>(
  [minimum, maximum]: readonly [minimum: number, maximum?: number],
  about: string,
  preset?: P,
): Setting<number, P extends undefined ? number | undefined : number> =>
  declare({ type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) }, about, preset);

/** A number from 0 up. */
export const amount = <P extends number | undefined = undefined>(
  about: string,
  preset?: P,
): Setting<number, P extends undefined ? number | undefined : number> =>
  declare({ type: "number", minimum: 0 }, about, preset);

/** One of several words. */
export const choice = <const V extends readonly string[], const P extends V[number] | undefined = undefined>(
  values: V,
  about?: string,
  preset?: P,
): WithPreset<V[number], P> => declare({ type: "string", enum: values }, about, preset);

/** A list. */
export const list = <W, const P extends readonly unknown[] | undefined = undefined>(
  items: Setting<W>,
  about?: string,
  preset?: P,
): WithPreset<readonly W[], P> => declare({ type: "array", items }, about, preset);

/** A map whose keys are names that the project chooses. */
export const map = <W, P extends object | undefined = undefined>(
  values: Setting<W>,
  about?: string,
  preset?: P,
): WithPreset<Readonly<Record<string, W>>, P> =>
  declare({ type: "object", additionalProperties: values }, about, preset);

/** The same map with these names and no others. */
export const withNames = ({ additionalProperties, ...setting }: Setting, names: readonly string[]): Setting => ({
  ...setting,
  properties: Object.fromEntries(names.map((name) => [name, additionalProperties || anything()])),
  required: [],
  additionalProperties: false,
});

/** A value of any type. */
export const anything = (about?: string): Setting<unknown, unknown> => declare({}, about);

/**
 * A map with exactly these keys. It has a default if one of its keys has one, or is given one.
 *
 * @example
 * group("The documentation site.", { title: text("Title of the site.", "Tool reference") });
 */
export const group = <M extends DeclaredKeys, const P = undefined>(
  about: string | undefined,
  properties: M,
  preset?: P,
): SettingGroup<M, P> => {
  const required = Object.keys(properties).filter((key) => properties[key]?.isRequired);
  return {
    ...declare({ type: "object", properties, required, additionalProperties: false }, about, preset),
    properties,
  };
};

/** An entry of a list or a map: a group without a sentence of its own. */
export const entry = <M extends DeclaredKeys>(properties: M): SettingGroup<M> => group(undefined, properties);

/** An entry that may have further keys, which somebody else checks; the sentence is about them. */
export const openEntry = <M extends DeclaredKeys>(about: string, properties: M): SettingGroup<M> => {
  const { required: _, ...open } = entry(properties);
  return { ...open, additionalProperties: anything(about) };
};

/** A word in place of a map, such as `on` for all of its parts. */
export const wordOr = <const T extends readonly string[], W, F>(
  words: T,
  parts: Setting<W, F>,
): Setting<T[number] | W, T[number] | F> =>
  declare({ ...parts, type: ["string", "object"], pattern: `^(?:${words.join("|")})$` }, parts.description);

/** Any text in place of a map. */
export const textOr = <W>(parts: Setting<W>, preset: string): Setting<string | W, string | W> =>
  declare({ ...parts, type: ["string", "object"] }, parts.description, preset);

/** A key that its group must have. */
export const required = <S extends Setting>(setting: S): Required<S> => ({ ...setting, isRequired: true });

/** A key in whose texts `${NAME}` is expanded. */
export const expanded = <S extends Setting>(setting: S): S => ({ ...setting, isExpanded: true });

/** A key whose texts are masked wherever a configuration is shown. */
export const secret = <S extends Setting>(setting: S): S => ({ ...setting, isSecret: true });

/** The default of a key: its own, or those of the keys below it; undefined if there is none. */
export function presetOf({ preset, properties }: Setting): unknown {
  if (preset !== undefined || properties === undefined) return preset;
  const below = Object.entries(properties).flatMap(([name, one]) => {
    const value = presetOf(one);
    return value === undefined ? [] : [[name, value] as const];
  });
  return below.length === 0 ? undefined : Object.fromEntries(below);
}

/** The declarations on the way to a value, from the outermost; as many as there are. */
export function settingsAlong(setting: Setting, [key, ...rest]: readonly (string | number)[]): readonly Setting[] {
  if (key === undefined) return [setting];
  const { properties = {}, additionalProperties, items } = setting;
  const below =
    typeof key === "number" ? items : Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  return below ? [setting, ...settingsAlong(below, rest)] : [setting];
}
