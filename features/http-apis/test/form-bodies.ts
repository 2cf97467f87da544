/** Media types, and parts of forms as RFC 7578 has them. */

import { type BodyCase, bytes, count, form, JSON_TYPE, json, object, parts, ref, spread, text } from "./body-case.js";

/** Media types. */
export const MEDIA_TYPES: Readonly<Record<string, BodyCase>> = {
  "any type": { content: { "*/*": { schema: object({ a: count }) } }, calls: [spread({ a: 1 })] },
  "any type, of a text": { content: { "*/*": { schema: text } }, calls: [[{ body: "a" }, [JSON_TYPE, '"a"']]] },
  "any type, of bytes": {
    content: { "*/*": { schema: bytes } },
    calls: [[{ body: "aGk=" }, ["application/octet-stream", "hi"]]],
  },
  "any type, without a schema": {
    content: { "*/*": {} },
    calls: [[{ body: "aGk=" }, ["application/octet-stream", "hi"]]],
  },
  "any application": { content: { "application/*": { schema: object({ a: count }) } }, calls: [spread({ a: 1 })] },
  "any text": { content: { "text/*": {} }, calls: [[{ body: "a" }, ["text/plain", "a"]]] },
  "any image": { content: { "image/*": {} }, calls: [[{ body: "aGk=" }, ["application/octet-stream", "hi"]]] },
  "text/json": {
    content: { "text/json": { schema: object({ a: count }) } },
    calls: [[{ a: 1 }, ["text/json", '{"a":1}']]],
  },
  "application/x-json": {
    content: { "application/x-json": { schema: object({ a: count }) } },
    calls: [[{ a: 1 }, ["application/x-json", '{"a":1}']]],
  },
  "a type that ends in +json": {
    content: { "application/vnd.a.v1+json; charset=utf-8": { schema: object({ a: count }) } },
    calls: [[{ a: 1 }, ["application/vnd.a.v1+json; charset=utf-8", '{"a":1}']]],
  },
  "a model that ends in +json": {
    content: { "model/gltf+json": { schema: object({ a: count }) } },
    calls: [[{ a: 1 }, ["model/gltf+json", '{"a":1}']]],
  },
  "upper case": {
    content: { "Application/JSON": { schema: object({ a: count }) } },
    calls: [[{ a: 1 }, ["Application/JSON", '{"a":1}']]],
  },
  "any type that ends in +json": {
    content: { "application/*+json": { schema: object({ a: count }) } },
    calls: [spread({ a: 1 })],
  },
  "JSON before a form": {
    content: { "application/x-www-form-urlencoded": { schema: object({ a: count }) }, ...json(object({ a: count })) },
    calls: [spread({ a: 1 })],
  },
  "a form before any type": {
    content: {
      "*/*": { schema: object({ a: count }) },
      "application/x-www-form-urlencoded": { schema: object({ a: count }) },
    },
    calls: [[{ a: 1 }, ["application/x-www-form-urlencoded", "a=1"]]],
  },
  "two types in one key": {
    content: { "application/json, application/xml": { schema: object({ a: count }) } },
    calls: [spread({ a: 1 })],
  },
  "a form with other members": {
    content: { "application/x-www-form-urlencoded": { schema: object({ a: text }, { additionalProperties: true }) } },
    calls: [[{ body: { a: "x", b: "y z" } }, ["application/x-www-form-urlencoded", "a=x&b=y+z"]]],
  },
};

const hi = "aGk=";

/** Parts of forms. */
export const PARTS: Readonly<Record<string, BodyCase>> = {
  "an object is JSON, a text has no type": {
    content: parts({ info: object({ a: count }), note: text, n: count, yes: { type: "boolean" } }),
    calls: [
      [
        { info: { a: 1 }, note: "é", n: 2, yes: true },
        form(
          ['name="info"\r\nContent-Type: application/json', '{"a":1}'],
          ['name="note"', "é"],
          ['name="n"', "2"],
          ['name="yes"', "true"],
        ),
      ],
    ],
  },
  "a list is one part for each item": {
    content: parts({ tags: { type: "array", items: text }, items: { type: "array", items: ref("Whole") } }),
    calls: [
      [
        { tags: ["a", "b"], items: [{ a: "x" }] },
        form(
          ['name="tags"', "a"],
          ['name="tags"', "b"],
          ['name="items"\r\nContent-Type: application/json', '{"a":"x"}'],
        ),
      ],
    ],
  },
  "a list of lists": {
    content: parts({ rows: { type: "array", items: { type: "array", items: count } } }),
    calls: [
      [
        { rows: [[1, 2], [3]] },
        form(
          ['name="rows"\r\nContent-Type: application/json', "[1,2]"],
          ['name="rows"\r\nContent-Type: application/json', "[3]"],
        ),
      ],
    ],
  },
  "texts that encoding says are bytes": {
    content: parts(
      {
        pic: text,
        raw: text,
        list: { type: "array", items: text },
        id: { type: "string", format: "uuid" },
        svg: text,
        a: text,
      },
      {
        pic: { contentType: "image/png, image/jpeg" },
        raw: { contentType: "application/octet-stream" },
        list: { contentType: "image/*" },
        id: { contentType: "application/octet-stream" },
        svg: { contentType: "image/svg+xml" },
        a: { contentType: "text/plain" },
      },
    ),
    calls: [
      [
        {
          pic: hi,
          pic_filename: "a.png",
          raw: hi,
          list: [hi, hi],
          id: "123e4567-e89b-42d3-a456-426614174000",
          svg: "<svg/>",
          a: "hi",
        },
        form(
          ['name="pic"; filename="a.png"\r\nContent-Type: image/png', "hi"],
          ['name="raw"; filename="raw"\r\nContent-Type: application/octet-stream', "hi"],
          ['name="list"; filename="list"\r\nContent-Type: application/octet-stream', "hi"],
          ['name="list"; filename="list"\r\nContent-Type: application/octet-stream', "hi"],
          ['name="id"\r\nContent-Type: application/octet-stream', "123e4567-e89b-42d3-a456-426614174000"],
          ['name="svg"\r\nContent-Type: image/svg+xml', "<svg/>"],
          ['name="a"\r\nContent-Type: text/plain', "hi"],
        ),
      ],
      [{ pic: "no base64!" }, { refused: "pic" }],
    ],
  },
  "a file": {
    content: parts({ pic: bytes }),
    calls: [
      [{ pic: hi }, form(['name="pic"; filename="pic"\r\nContent-Type: application/octet-stream', "hi"])],
      [
        { pic: hi, pic_filename: 'a "b"\r\nc.png' },
        form(['name="pic"; filename="a %22b%22%0D%0Ac.png"\r\nContent-Type: application/octet-stream', "hi"]),
      ],
    ],
  },
  "a file with a type": {
    content: parts({ pic: bytes }, { pic: { contentType: "image/png" } }),
    calls: [
      [{ pic: hi, pic_filename: "ü.png" }, form(['name="pic"; filename="ü.png"\r\nContent-Type: image/png', "hi"])],
    ],
  },
  "a file with several types": {
    content: parts({ pic: bytes }, { pic: { contentType: "image/png, image/jpeg" } }),
    calls: [
      [{ pic: hi }, form(['name="pic"; filename="pic"\r\nContent-Type: image/png', "hi"])],
      [{ pic: hi, pic_filename: "a.JPG" }, form(['name="pic"; filename="a.JPG"\r\nContent-Type: image/jpeg', "hi"])],
    ],
  },
  "a file of any image": {
    content: parts({ pic: bytes }, { pic: { contentType: "image/*" } }),
    calls: [[{ pic: hi }, form(['name="pic"; filename="pic"\r\nContent-Type: application/octet-stream', "hi"])]],
  },
  "a file whose schema has a type": {
    content: parts({ pic: { type: "string", contentMediaType: "image/gif", contentEncoding: "base64" } }),
    calls: [[{ pic: hi }, form(['name="pic"; filename="pic"\r\nContent-Type: image/gif', "hi"])]],
  },
  "a file without a schema": {
    content: parts({ pic: {} }, { pic: { contentType: "application/pdf" } }),
    calls: [[{ pic: hi }, form(['name="pic"; filename="pic"\r\nContent-Type: application/pdf', "hi"])]],
  },
  "a list of files": {
    content: parts({ pics: { type: "array", items: bytes } }),
    calls: [
      [
        { pics: [hi, hi], pics_filename: ["a.png"] },
        form(
          ['name="pics"; filename="a.png"\r\nContent-Type: application/octet-stream', "hi"],
          ['name="pics"; filename="pics"\r\nContent-Type: application/octet-stream', "hi"],
        ),
      ],
    ],
  },
  "a text that is JSON": {
    content: parts({ info: text }, { info: { contentType: JSON_TYPE } }),
    calls: [
      [{ info: '{"a":1}' }, form(['name="info"\r\nContent-Type: application/json', '{"a":1}'])],
      [{ info: "a" }, form(['name="info"\r\nContent-Type: application/json', '"a"'])],
    ],
  },
  "a text with a type": {
    content: parts({ csv: text }, { csv: { contentType: "text/csv; charset=utf-8" } }),
    calls: [[{ csv: "a,b" }, form(['name="csv"\r\nContent-Type: text/csv; charset=utf-8', "a,b"])]],
  },
  "headers of a part": {
    content: parts(
      { pic: bytes },
      { pic: { headers: { "X-Sum": { required: true, schema: text }, "Content-Type": { schema: text } } } },
    ),
    calls: [
      [
        { pic: hi, "pic_X-Sum": "abc" },
        form(['name="pic"; filename="pic"\r\nContent-Type: application/octet-stream\r\nX-Sum: abc', "hi"]),
      ],
      [{ pic: hi }, { refused: "pic_X-Sum" }],
      [{ pic: hi, "pic_X-Sum": "a\r\nb" }, { refused: "pic_X-Sum" }],
    ],
  },
  "a name with quotes": {
    content: parts({ 'a"b\r\nc': text }),
    calls: [[{ 'a"b\r\nc': "x" }, form(['name="a%22b%0D%0Ac"', "x"])]],
  },
  "a file name that a field has": {
    content: parts({ pic: bytes, pic_filename: text }),
    calls: [
      [
        { pic: hi, pic_filename: "field", pic_filename_: "a.png" },
        form(
          ['name="pic"; filename="a.png"\r\nContent-Type: application/octet-stream', "hi"],
          ['name="pic_filename"', "field"],
        ),
      ],
    ],
  },
  "a form that is one argument": {
    content: parts(
      { pic: bytes, info: object({}) },
      { pic: { contentType: "image/png" } },
      { additionalProperties: true },
    ),
    calls: [
      [
        { body: { pic: hi, info: { a: 1 }, more: "x" }, pic_filename: "a.png" },
        form(
          ['name="pic"; filename="a.png"\r\nContent-Type: image/png', "hi"],
          ['name="info"\r\nContent-Type: application/json', '{"a":1}'],
          ['name="more"', "x"],
        ),
      ],
    ],
  },
  "any multipart": {
    content: { "multipart/*": { schema: object({ a: text }) } },
    calls: [[{ a: "x" }, form(['name="a"', "x"])]],
  },
};
