/** What tables of bodies of requests are made of: what is described, what is given, and the bytes that arrive. */

/** What arrives: the media type and the body; or what the call is refused for. */
export type Arrives = readonly [media: string, body: string] | { readonly refused: string };

/** A body: its content by media type, calls with their arguments and what arrives. */
export interface BodyCase {
  readonly content: object;
  readonly calls: readonly (readonly [args: object, arrives: Arrives])[];
}

/** The media type of JSON. */
export const JSON_TYPE = "application/json";
const FORM = "multipart/form-data; boundary=B";
/** The schema of a text. */
export const text = { type: "string" };
/** The schema of an integer. */
export const count = { type: "integer" };
/** The schema of a file. */
export const bytes = { type: "string", format: "binary" };
/** The schema of an object. */
export const object = (properties: object, rest: object = {}): object => ({ type: "object", properties, ...rest });
/** A reference to one of the shared schemas. */
export const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
/** A body of JSON. */
export const json = (schema: object): object => ({ [JSON_TYPE]: { schema } });
/** A body of parts. */
export const parts = (properties: object, encoding: object = {}, rest: object = {}): object => ({
  "multipart/form-data": { schema: object(properties, rest), encoding },
});
/** A form as it arrives: each part as its head and its content. */
export const form = (...all: readonly (readonly [head: string, content: string])[]): Arrives => [
  FORM,
  `${all.map(([head, content]) => `--B\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`).join("")}--B--\r\n`,
];
/** A JSON body: given as one argument, it arrives as it is. */
export const whole = (body: object): readonly [object, Arrives] => [{ body }, [JSON_TYPE, JSON.stringify(body)]];
/** A JSON body whose members are arguments. */
export const spread = (args: object): readonly [object, Arrives] => [args, [JSON_TYPE, JSON.stringify(args)]];
