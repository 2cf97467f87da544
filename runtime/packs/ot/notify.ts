/** `ot.notify`: appends a message to the file of its topic. */

import { entryOf } from "../../config/topics.js";
import type { HostContext } from "../host.js";
import { appendMessage } from "./topic-file.js";
import { cannotWrite } from "./written-file.js";

/** Appends a message and returns the outcome. */
export async function notify(topic: string, message: string, ctx: HostContext): Promise<string> {
  const { host, signal } = ctx;
  const { root, settings } = host.project;
  const found = entryOf(settings.topics, topic);
  if (!found) return "SKIP: no matching topic";
  try {
    const document = { ts: host.now().toISOString(), topic, message };
    await appendMessage(root, found, document, signal);
    return `OK: ${topic} -> ${found.file}`;
  } catch (error) {
    return cannotWrite(ctx, found.file, error);
  }
}
