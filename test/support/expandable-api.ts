/** A description of an HTTP API whose objects all refer to each other, as those of payment APIs do. */

const TEXT = "An identifier of the object that this one belongs to, which can be expanded into the object itself.";

const schemaOf = (index: number, objects: number): object => ({
  type: "object",
  description: `Object ${index} of the API.`,
  required: ["id"],
  properties: {
    id: { type: "string", maxLength: 500, description: "Unique identifier of the object." },
    ...Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `field_${at}`,
        at % 3 === 0
          ? {
              description: TEXT,
              anyOf: [
                { type: "string", maxLength: 500 },
                { $ref: `#/components/schemas/object_${(index * 7 + at + 1) % objects}` },
              ],
            }
          : { type: "integer", minimum: 0, description: `Number ${at} of object ${index}, in the smallest unit.` },
      ]),
    ),
  },
});

/** Three operations for each of some objects. */
export function expandableApi(objects: number): string {
  const ref = (index: number): object => ({ $ref: `#/components/schemas/object_${index}` });
  const answer = (schema: object): object => ({
    200: { description: "The answer.", content: { "application/json": { schema } } },
  });
  const paths = Array.from({ length: objects }, (_, index) => {
    const body = { content: { "application/json": { schema: { type: "object", properties: { value: ref(index) } } } } };
    const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
    const list = { type: "object", properties: { data: { type: "array", items: ref(index) } } };
    return [
      [
        `/objects_${index}`,
        {
          get: { operationId: `list_objects_${index}`, summary: `List objects ${index}.`, responses: answer(list) },
          post: { operationId: `create_object_${index}`, requestBody: body, responses: answer(ref(index)) },
        },
      ],
      [
        `/objects_${index}/{id}`,
        { get: { operationId: `get_object_${index}`, parameters: [id], responses: answer(ref(index)) } },
      ],
    ] as const;
  }).flat();
  const schemas = Array.from({ length: objects }, (_, index) => [`object_${index}`, schemaOf(index, objects)] as const);
  return JSON.stringify({
    openapi: "3.0.3",
    info: { title: "Objects", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    components: { schemas: Object.fromEntries(schemas) },
    paths: Object.fromEntries(paths),
  });
}
