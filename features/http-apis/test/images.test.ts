/** Images of HTTP APIs, for clients of MCP. */

import { expect, test } from "vitest";
import { rootOf, startApi } from "../../../test/support/http-api.js";
import { type Json, serve } from "../../../test/support/project.js";

test("a typed tool shows an image as a block, and its structured content fits the schema", async () => {
  const api = await startApi({
    "/image": (_, response) =>
      void response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([137, 80])),
  });
  const responses = { 200: { description: "It.", content: { "image/png": {} } } };
  const image = { "/image": { get: { operationId: "image", summary: "Draw it.", responses } } };
  const root = await rootOf(image, `pack: api\nserver: ${api.origin}`, "expose: { hot: [api.image] }\n");
  const { client, close } = await serve(root);
  try {
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "image")?.outputSchema).toMatchObject({ required: ["type", "mime"] });
    const { content, structuredContent, isError } = (await client.callTool({ name: "image", arguments: {} })) as Json;
    expect(isError, JSON.stringify(content)).toBeFalsy();
    expect(structuredContent).toEqual({ type: "image", mime: "image/png", size: 2, block: 1 });
    expect(content[1]).toEqual({ type: "image", mimeType: "image/png", data: "iVA=" });
  } finally {
    await close();
  }
});
