/** The worked example, by clients of both protocol eras. */

import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import { freshRoot, type Json, serve, serverCommand } from "../support/project.js";

type Exec = (op: string, args: object) => Promise<Json>;

interface Connection {
  readonly exec: Exec;
  readonly close: () => Promise<void>;
}

async function current(root: string): Promise<Connection> {
  const { call, close } = await serve(root, ["--allow-write"]);
  return { close, exec: async (op, args) => (await call("tool_exec", { op, args })).value };
}

async function older(root: string): Promise<Connection> {
  const client = new OlderClient({ name: "older", version: "1" });
  await client.connect(new OlderTransport(serverCommand(root, ["--allow-write"])));
  const exec: Exec = async (op, args) =>
    (await client.callTool({ name: "tool_exec", arguments: { op, args } })).structuredContent;
  return { exec, close: () => client.close() };
}

test.for([
  ["the current client", current],
  ["an older client", older],
] as const)(
  "[GW-7.3] with %s: find the document and the folder, move it, and it stays moved after a restart",
  async ([, connect]) => {
    const root = freshRoot();
    const first = await connect(root);
    const { project } = (
      await first.exec("onto.project.create", {
        project: { name: "Payments", type_key: "project.technical.platform" },
        entities: [],
        relationships: [],
      })
    ).result;
    for (const title of ["Engineering", "API Spec", "Meeting notes"])
      await first.exec("onto.document.create", {
        project_id: project.id,
        title,
        description: `About ${title}.`,
        content: `# ${title}`,
      });

    const found = await first.exec("onto.document.search", { search: "API Spec", limit: 10 });
    expect(found.result.items[0]).toMatchObject({ kind: "document", label: "API Spec", project_name: "Payments" });
    const before = await first.exec("onto.document.tree.get", { project_id: project.id, include_documents: true });
    expect(before.result.structure.root.length).toBe(3);
    const folder = Object.values<Json>(before.result.documents).find((one) => one.title === "Engineering");
    const move = { project_id: project.id, document_id: found.result.items[0].id, new_parent_id: folder.id };
    const moved = await first.exec("onto.document.tree.move", move);
    expect(moved).toMatchObject({
      ok: true,
      result: { moved: true, parent_id: folder.id, tree_version: before.result.tree_version + 1 },
    });
    const after = await first.exec("onto.document.tree.get", { project_id: project.id });
    const node = after.result.structure.root.find((one: Json) => one.id === folder.id);
    expect(node.children).toEqual([expect.objectContaining({ id: move.document_id })]);
    await first.close();

    const second = await connect(root);
    expect((await second.exec("onto.document.tree.get", { project_id: project.id })).result).toEqual(after.result);
    expect(
      (await second.exec("onto.document.path.get", { document_id: move.document_id })).result.path.map(
        (one: Json) => one.title,
      ),
    ).toEqual(["Engineering", "API Spec"]);
    await second.close();
  },
);
