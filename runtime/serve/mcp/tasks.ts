/**
 * Serves the extension `io.modelcontextprotocol/tasks` to clients of the newer protocol: a run that waits for a person is
 * a task, whose id is that of the run. What a task is, is read from the database, so that any server answers.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import type { InputRequired } from "../../call/client-access.js";
import { canCall } from "../../catalog/advice.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject } from "../../contract/registry.js";
import type { Gateway } from "../../gateway/gateway.js";
import { answersOf, questionIds } from "../answer-run.js";
import { detailedTask, TASKS, takesTasks } from "../task.js";
import { guardedOn, invalidParamsError } from "./pages.js";
import type { ServerOptions } from "./server-options.js";

/** The capability that servers declare. */
export const TASKS_CAPABILITY = { extensions: { [TASKS]: {} } };

interface TaskParams {
  readonly taskId: string;
}

const MAX_ID_LENGTH = 100;

/** Reads the params of all methods. The SDK takes `inputResponses` out of them. */
const PARAMS: StandardSchemaV1<unknown, TaskParams> = {
  "~standard": {
    version: 1,
    vendor: "toolwright",
    validate(value) {
      const { taskId } = isObject(value) ? value : {};
      if (typeof taskId !== "string" || taskId.length > MAX_ID_LENGTH)
        return { issues: [{ message: `taskId is a text of at most ${MAX_ID_LENGTH} characters` }] };
      return { value: { taskId } };
    },
  },
};

/** Answers the methods of the extension. */
export function serveTasks(server: Server, { live, principal }: ServerOptions): void {
  const on = (method: string, answer: (asked: Asked) => Promise<JsonObject>): void => {
    const handle = guardedOn(live, async (gateway, { taskId }: TaskParams, context: ServerContext) => {
      const capabilities = declared(context);
      const caller = await principal();
      const run = await gateway.callerRuns.find(taskId, caller);
      if (!run) throw invalidParamsError(`There is no task ${JSON.stringify(taskId)}, or it has expired`);
      return answer({ gateway, taskId, run, caller, capabilities, responses: context.mcpReq.inputResponses });
    });
    server.setRequestHandler(method, { params: PARAMS }, handle as never);
  };
  on("tasks/get", async ({ gateway, run, taskId, caller, capabilities }) =>
    detailedTask(run, await gateway.callerRuns.paused(taskId, caller), {
      capabilities,
      can: canCall(gateway.index.view(caller.grant)),
    }),
  );
  on("tasks/update", async ({ gateway: { callerRuns }, taskId, caller, responses }) => {
    if (!isObject(responses)) throw invalidParamsError("inputResponses is an object");
    const paused = await callerRuns.paused(taskId, caller);
    if (paused) await callerRuns.decide(taskId, answersOf(paused, questionIds(paused), responses), caller);
    return {};
  });
  on("tasks/cancel", async ({ gateway, taskId, caller }) => {
    await gateway.callerRuns.stop(taskId, caller);
    return {};
  });
}

interface Asked extends TaskParams {
  readonly gateway: Gateway;
  readonly run: NonNullable<Awaited<ReturnType<Gateway["callerRuns"]["find"]>>>;
  readonly caller: Awaited<ReturnType<ServerOptions["principal"]>>;
  readonly capabilities: InputRequired["capabilities"];
  readonly responses: unknown;
}

/** The capabilities of a client that declares the extension. @throws ProtocolError for any other */
function declared({ mcpReq: { envelope } }: ServerContext): InputRequired["capabilities"] {
  if (envelope === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  const capabilities =
    (envelope as Readonly<Record<string, InputRequired["capabilities"]>>)[CLIENT_CAPABILITIES_META_KEY] ?? {};
  if (!takesTasks(capabilities))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: TASKS_CAPABILITY });
  return capabilities;
}
