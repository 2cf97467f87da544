/** Bodies of JSON, as OpenAPI 3.0 and 3.1 describe them. */

import { type BodyCase, count, JSON_TYPE, json, object, ref, spread, text, whole } from "./body-case.js";

/** A condition, and the member that is required where it holds. */
const onCondition = (test: object, member: string): object =>
  Object.fromEntries([
    ["if", test],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ["then", object({ [member]: text }, { required: [member] })],
  ]);

/** Schemas that bodies refer to. */
export const SCHEMAS = {
  Shape: object(
    { form: text, name: text },
    {
      required: ["form"],
      discriminator: { propertyName: "form", mapping: { disk: "#/components/schemas/Disk", box: "Box", cube: "Box" } },
    },
  ),
  Disk: { allOf: [ref("Shape"), object({ radius: { type: "number" } }, { required: ["radius"] })] },
  Box: { allOf: [ref("Shape"), object({ side: { type: "number" } })] },
  Pet: object({ kind: text }, { required: ["kind"], discriminator: { propertyName: "kind" } }),
  Cat: { allOf: [ref("Pet"), object({ lives: count })] },
  Kitten: { allOf: [ref("Cat"), object({ weeks: count }, { required: ["weeks"] })] },
  Closed: object({ name: text }, { additionalProperties: false, required: ["name"] }),
  Derived: { allOf: [ref("Closed"), object({ extra: text }, { additionalProperties: false })] },
  Card: object({ number: text, type: { enum: ["card"] } }, { required: ["number", "type"] }),
  Cash: object({ note: text, type: { enum: ["cash"] } }, { required: ["type"] }),
  Loop: object({ next: ref("Loop"), at: count }, { required: ["at"] }),
  Whole: object({ a: text }, { required: ["a"] }),
  Bucket: object({ bucket: text }, { additionalProperties: false }),
};

/** Bodies of JSON. */
export const JSON_BODIES: Readonly<Record<string, BodyCase>> = {
  "a closed object": {
    content: json(object({ a: text }, { additionalProperties: false })),
    calls: [spread({ a: "x" })],
  },
  "a required member without a property": {
    content: json(object({ a: text }, { required: ["a", "tenant"] })),
    calls: [whole({ a: "x", tenant: "t" }), [{ body: { a: "x" } }, { refused: "body.tenant" }]],
  },
  "if and then": {
    content: json(
      object(
        { pay: { enum: ["cash", "card"] } },
        {
          ...onCondition({ properties: { pay: { const: "card" } }, required: ["pay"] }, "no"),
        },
      ),
    ),
    calls: [
      whole({ pay: "card", no: "4" }),
      whole({ pay: "cash" }),
      [{ body: { pay: "card" } }, { refused: "body.no" }],
    ],
  },
  "else alone": {
    content: json(object({ a: text }, { if: { required: ["a"] }, else: object({ b: text }, { required: ["b"] }) })),
    calls: [whole({ b: "x" }), whole({ a: "x" })],
  },
  "dependent schemas": {
    content: json(object({ a: text }, { dependentSchemas: { a: object({ b: text }, { required: ["b"] }) } })),
    calls: [whole({ a: "x", b: "y" }), [{ body: { a: "x" } }, { refused: "body.b" }]],
  },
  "dependent members": {
    content: json(object({ a: text }, { dependentRequired: { a: ["b"] } })),
    calls: [whole({ a: "x", b: 1 }), whole({})],
  },
  "dependencies of older drafts": {
    content: json(object({ a: text }, { dependencies: { a: ["b"] } })),
    calls: [whole({ a: "x", b: 1 })],
  },
  "names by pattern": {
    content: json(object({ a: text }, { patternProperties: { "^x-": count }, additionalProperties: false })),
    calls: [whole({ a: "x", "x-n": 1 })],
  },
  "any other member": {
    content: json(object({ a: text }, { additionalProperties: true })),
    calls: [whole({ a: "x", b: [1] })],
  },
  "other members of a type": {
    content: json(object({ a: text }, { additionalProperties: count })),
    calls: [whole({ a: "x", b: 1 }), [{ body: { b: "x" } }, { refused: "body.b" }]],
  },
  "names of a form": {
    content: json({ type: "object", propertyNames: { pattern: "^[a-z]+$" } }),
    calls: [whole({ ab: 1 })],
  },
  "at least one member": {
    content: json({ type: "object", minProperties: 1 }),
    calls: [whole({ a: 1 }), [{ body: {} }, { refused: "body" }]],
  },
  "two of three members": {
    content: json(object({ a: text, b: text, c: text }, { minProperties: 2 })),
    calls: [whole({ a: "x", c: "y" })],
  },
  "as few members as are required": {
    content: json(object({ a: text, b: text }, { minProperties: 1, required: ["a"] })),
    calls: [spread({ a: "x" })],
  },
  "members that exclude each other": {
    content: json(object({ a: text, b: text }, { not: { required: ["a", "b"] } })),
    calls: [whole({ a: "x" })],
  },
  "one of two members": {
    content: json(object({ a: text, b: text }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] })),
    calls: [whole({ b: "x" })],
  },
  "some of two members": {
    content: json(object({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] })),
    calls: [spread({ b: "x" })],
  },
  "some of two members, one of which has no property": {
    content: json(object({ a: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] })),
    calls: [whole({ b: "x" })],
  },
  "parts of one object": {
    content: json({ allOf: [ref("Whole"), object({ b: count }, { required: ["b"] })] }),
    calls: [spread({ a: "x", b: 1 })],
  },
  "a part with a condition": {
    content: json({
      allOf: [object({ a: text }), onCondition({ required: ["a"] }, "b")],
    }),
    calls: [whole({ a: "x", b: "y" })],
  },
  "parts that contradict each other in a member": {
    content: json({
      allOf: [object({ a: { type: ["string", "integer"] } }), object({ a: { type: ["integer", "null"] } })],
    }),
    calls: [spread({ a: 1 }), [{ a: "x" }, { refused: "a" }]],
  },
  "members beside a reference": {
    content: json({ ...ref("Whole"), ...object({ b: count }, { required: ["b"] }) }),
    calls: [spread({ b: 1, a: "x" }), [{ a: "x" }, { refused: "b" }]],
  },
  "a closed base": { content: json(ref("Derived")), calls: [whole({ name: "x", extra: "y" })] },
  "an open map": { content: json({ type: "object" }), calls: [whole({ "2024": 1, a: null })] },
  "an object of no properties": { content: json(object({})), calls: [whole({ a: 1 })] },
  "a recursive object": { content: json(ref("Loop")), calls: [spread({ next: { at: 2 }, at: 1 })] },
  "a list": { content: json({ type: "array", items: ref("Card") }), calls: [[{ body: [] }, [JSON_TYPE, "[]"]]] },
  "a text": { content: json(text), calls: [[{ body: "a" }, [JSON_TYPE, '"a"']]] },
  "an object or null": {
    content: json({ type: ["object", "null"], properties: { a: text } }),
    calls: [[{ body: null }, [JSON_TYPE, "null"]]],
  },
};

/** Bodies that a discriminator decides. */
export const DISCRIMINATED: Readonly<Record<string, BodyCase>> = {
  "a parent stands for its children": {
    content: json(ref("Shape")),
    calls: [
      whole({ form: "disk", radius: 2 }),
      whole({ form: "cube", side: 2, name: "c" }),
      [{ body: { form: "disk" } }, { refused: "body.radius" }],
      [{ body: { form: "ball" } }, { refused: "body.form disk box cube" }],
    ],
  },
  "a parent without a mapping": {
    content: json(ref("Pet")),
    calls: [
      whole({ kind: "Cat", lives: 9 }),
      whole({ kind: "Pet" }),
      whole({ kind: "Kitten", lives: 9, weeks: 3 }),
      [{ body: { kind: "Kitten" } }, { refused: "body.weeks" }],
      [{ body: { kind: "Dog" } }, { refused: "body.kind Pet Cat Kitten" }],
    ],
  },
  "a union": {
    content: json({
      oneOf: [ref("Disk"), ref("Box")],
      discriminator: {
        propertyName: "form",
        mapping: { disk: "#/components/schemas/Disk", box: "#/components/schemas/Box" },
      },
    }),
    calls: [
      whole({ form: "disk", radius: 2 }),
      whole({ form: "box", side: 1 }),
      [{ body: { form: "box", side: "x" } }, { refused: "body.side" }],
      [{ body: { form: "cube" } }, { refused: "body.form disk box" }],
    ],
  },
  "a union of any": {
    content: json({ anyOf: [ref("Disk"), ref("Box")], discriminator: { propertyName: "form" } }),
    calls: [whole({ form: "Disk", radius: 2 }), [{ body: { form: "Disk" } }, { refused: "body.radius" }]],
  },
  "branches that list their values": {
    content: json({ oneOf: [ref("Card"), ref("Cash")], discriminator: { propertyName: "type" } }),
    calls: [whole({ type: "cash", note: "n" }), [{ body: { type: "card" } }, { refused: "body.number" }]],
  },
  "a property that no branch declares": {
    content: json({ oneOf: [ref("Bucket"), ref("Whole")], discriminator: { propertyName: "kind" } }),
    calls: [whole({ bucket: "b" })],
  },
  "a member that is a parent": {
    content: json(object({ shapes: { type: "array", items: ref("Shape") } })),
    calls: [
      spread({ shapes: [{ form: "disk", radius: 1 }, { form: "box" }] }),
      [{ shapes: [{ form: "disk" }] }, { refused: "shapes[0].radius" }],
    ],
  },
  "a child": {
    content: json(ref("Disk")),
    calls: [
      spread({ form: "disk", radius: 2 }),
      [{ form: "box", radius: 2 }, { refused: "form disk" }],
      [{ radius: 2 }, { refused: "form" }],
    ],
  },
  "a child with several values": {
    content: json(object({ of: ref("Box") })),
    calls: [spread({ of: { form: "cube", side: 1 } }), [{ of: { form: "disk" } }, { refused: "of.form box cube" }]],
  },
  "a child that has children": {
    content: json(object({ pets: { type: "array", items: ref("Cat") } })),
    calls: [
      spread({
        pets: [
          { kind: "Cat", lives: 9 },
          { kind: "Kitten", lives: 9 },
        ],
      }),
      [{ pets: [{ kind: "Pet" }] }, { refused: "pets[0].kind Cat Kitten" }],
    ],
  },
  "a child in allOf alone": {
    content: json(object({ of: { allOf: [ref("Disk")], description: "A disk." } })),
    calls: [
      spread({ of: { form: "disk", radius: 1 } }),
      [{ of: { form: "box", radius: 1 } }, { refused: "of.form disk" }],
    ],
  },
  "a union of children without a discriminator": {
    content: json({ oneOf: [ref("Disk"), ref("Box")] }),
    calls: [
      whole({ form: "disk", radius: 2 }),
      whole({ form: "cube", side: 1, radius: 2 }),
      [{ body: { form: "disk" } }, { refused: "body.radius" }],
      [{ body: { form: "ball" } }, { refused: "body.form disk box cube" }],
    ],
  },
};
