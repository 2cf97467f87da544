/** What clients see and how they name it. */

import { INDEX_TOKENS } from "../signature-index.js";
import * as s from "./setting.js";

/** Keys about what clients see. */
export const CLIENT_SETTINGS = {
  expose: s.expanded(
    s.group("What clients are shown.", {
      gateway: s.flag("false: every op is a tool of its own, and the gateway tools are not shown.", true),
      run: s.flag("Whether the tool run is shown. Default: as expose.gateway."),
      hot: s.list(
        s.text(),
        "Patterns of ops (* stands for any characters) that are tools of their own too, within budget.exposed.",
        [],
      ),
      signatures: s.integer([0], "Tokens for the signatures in run's description.", INDEX_TOKENS),
      answer_bytes: s.integer(
        [1000, 100_000],
        "Most bytes of an answer of tool_help; the rest comes page by page.",
        6000,
      ),
      run_preview: s.choice(
        ["always", "writes", "never"],
        "Plans of programs. writes: run takes preview, and a program of which rules ask about a write waits with its plan. always: every program that writes waits with its plan. never: neither.",
        "never",
      ),
    }),
  ),
  aliases: s.map(s.filled(), "Short names for ops in run(): ws: brave.web_search.", {}),
  projects: s.expanded(s.map(s.filled(), "Folders by name, for proj.", {})),
  topics: s.expanded(
    s.list(
      s.entry({
        pattern: s.required(
          s.filled(
            "Topics that it is for; * stands for characters other than colons, ** for any. The first pattern that fits decides.",
          ),
        ),
        file: s.required(s.filled("File to which notes are appended.")),
      }),
      "Where notes go, by topic.",
      [],
    ),
  ),
};
