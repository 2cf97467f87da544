/** A project whose upstream servers use elicitation, and clients that answer. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/client";
import { stringify } from "yaml";
import { temporaryFolder, toolwright } from "../project.js";
import { askingServer, olderSdkServer } from "../upstream/servers.js";
import { calls } from "../upstream/upstreams.js";

/** What its clients say. */
export const SAID = {
  form: { action: "accept" as const, content: { name: "Anna" } },
  model: { role: "assistant" as const, model: "test", content: { type: "text" as const, text: "Paris" } },
  roots: { roots: [{ uri: "file:///work", name: "Work" }] },
};

/** The ops that ask in the course of a call, and what comes of it. */
export const ASKS = [
  ["older.ask", SAID.form],
  ["older.think", SAID.model],
  ["older.folders", SAID.roots],
] as const;

const DEADLINE_MS = 6_000;

/** A generated root with the servers `older`, `slow` and `asking`, which ask, and `calls`; `slow.ask` has a short deadline. */
export async function askingRoot(remove: (clean: () => void) => void): Promise<string> {
  const root = temporaryFolder(remove);
  mkdirSync(join(root, "definitions"));
  const servers = { older: olderSdkServer, slow: olderSdkServer, asking: askingServer, calls: calls() };
  const read = { kind: "read" };
  const ops = {
    ...Object.fromEntries(["ask", "think", "folders"].map((name) => [`older/${name}`, read])),
    "slow/folders": read,
    "slow/ask": { ...read, deadline_ms: DEADLINE_MS },
  };
  const config = { use: ["ot"], sources: [{ mcp: "servers/*.json" }], servers, ops };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  for (const command of ["snapshot", "generate"]) {
    const { code, stdout, stderr } = await toolwright([command, "--root", root]);
    if (code !== 0) throw new Error(stdout + stderr);
  }
  return root;
}

/** A client that answers everything; `asked` is called with the method and id of each question. */
export function answering(
  options: ClientOptions = {},
  asked: (method: string, id: unknown) => void | Promise<void> = () => undefined,
): Client {
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const client = new Client({ name: "asked", version: "1" }, { capabilities, ...options });
  client.setRequestHandler("elicitation/create", async (_, { mcpReq }) => {
    await asked("elicitation/create", mcpReq.id);
    return SAID.form;
  });
  client.setRequestHandler("sampling/createMessage", async (_, { mcpReq }) => {
    await asked("sampling/createMessage", mcpReq.id);
    return SAID.model;
  });
  client.setRequestHandler("roots/list", async (_, { mcpReq }) => {
    await asked("roots/list", mcpReq.id);
    return SAID.roots;
  });
  return client;
}
