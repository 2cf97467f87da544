/** `ot.notify`: appends a message to the file of its topic. */

import { entryOf } from "../../config/topics.js";
import { ToolFailure } from "../../contract/handler.js";
import type { HostContext } from "../host.js";
import { appendMessage } from "./topic-file.js";
import { cannotWrite } from "./written-file.js";

/** Topics of messages that people act on. No program writes what looks like one. */
const OWN_TOPIC = /^approvals:/i;

/**
 * Appends a message and returns the outcome.
 *
 * @throws ToolFailure for a topic that is not for programs
 */
export async function notify(topic: string, message: string, ctx: HostContext): Promise<string> {
  const { host, signal } = ctx;
  const { root, settings } = host.project;
  if (OWN_TOPIC.test(topic.normalize("NFKC").replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}\s]/gu, "")))
    throw new ToolFailure(
      "VALIDATION_ERROR",
      "topics that begin with approvals: are for messages of toolwright: use another",
      {
        exception: "ValueError",
      },
    );
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
