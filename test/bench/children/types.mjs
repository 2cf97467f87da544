// json-schema-to-typescript alone, over the tools of a TypeScript module: the types that goal G9 compares ours with.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to] = process.argv.slice(2);
const { compile } = await import("json-schema-to-typescript");
const tools = JSON.parse(readFileSync(from, "utf8"));
const blocks = [];
for (const { function: tool } of tools)
  blocks.push(
    await compile(tool.parameters, tool.name, { format: false, bannerComment: "", additionalProperties: false }),
  );
writeFileSync(to, blocks.join("\n"));
