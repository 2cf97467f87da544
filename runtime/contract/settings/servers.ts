/** Upstream MCP servers. */

import { CONNECTION } from "./parts.js";
import * as s from "./setting.js";

/** Largest answer of a server in bytes: default and upper limit. Parsing a large answer blocks all other calls. */
export const ANSWER_BYTES = { preset: 4_194_304, ceiling: 67_108_864 } as const;

/** The key `servers`. */
export const SERVER_SETTINGS = {
  servers: s.map(
    s.expanded(
      s.entry({
        type: s.choice(["stdio", "http"], "A process, or Streamable HTTP."),
        url: s.text("Address of a server over Streamable HTTP."),
        headers: s.secret(s.map(s.text(), "Sent with every request; values may be variables of the environment.")),
        auth: s.group("How toolwright gets OAuth tokens for it.", {
          ...CONNECTION,
          mode: s.required(CONNECTION.mode),
          issuer: s.required(CONNECTION.issuer),
        }),
        command: s.text("Program that is the server, over stdio."),
        args: s.list(s.text(), "Its arguments."),
        env: s.secret(s.map(s.text(), "Environment of the process, beside a few variables that every process needs.")),
        cwd: s.filled("Folder in which its command runs, relative to the project's. Default: the project's."),
        tools: s.group("The tools that are offered: there are no ops of the others. Default: all.", {
          only: s.list(s.text(), "Exact names of the tools that are offered."),
          except: s.list(s.text(), "Exact names of tools that are not offered, also where `only` names them."),
        }),
        timeout: s.amount("Seconds that a call, a connection or a reading of its tools may take. Default: 30."),
        answer_bytes: s.integer(
          [1, ANSWER_BYTES.ceiling],
          `Bytes of an answer; a larger one is an error. Default: ${ANSWER_BYTES.preset}. Nobody else is answered while a large answer is parsed, about 15 ms for each MB.`,
        ),
        enabled: s.flag("false: left alone unless it is named."),
        lazy: s.flag("Whether it is connected on its first call only."),
        sanitize: s.flag("Whether its answers are wrapped as foreign content."),
        idempotency: s.group("How the server takes idempotency keys of writes. With it, a write may be sent again.", {
          argument: s.required(s.filled("The argument, of tools that have it.")),
        }),
        snapshot: s.group("Reading of its tools on a schedule, by one of the servers of a state database.", {
          every: s.filled(
            "How often its tools are compared with the snapshot: a number and s, m, h or d, from 1m to 365d, such as 6h. Differences are logged and shown in the console; nothing is written to definitions/.",
          ),
          principal: s.filled(
            "At a server whose auth has the mode per_user: the key or user with whose connection it is read. Default: the owner of the machine.",
          ),
        }),
      }),
    ),
    "Upstream MCP servers by name; toolwright snapshot NAME writes servers/NAME.json.",
    {},
  ),
};
