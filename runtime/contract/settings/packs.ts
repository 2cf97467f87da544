/** Shipped packs, the documentation site, and the log. */

import * as s from "./setting.js";

/** Keys about shipped packs, the documentation site and the log. */
export const PACK_SETTINGS = {
  web: s.expanded(
    s.group("The web client: search provider, private hosts that may be reached.", {
      provider: s.text("Search provider.", "brave"),
      allow_private: s.list(s.text(), "Private hosts and networks that may be reached.", []),
    }),
  ),
  llm: s.expanded(
    s.group("An endpoint in OpenAI's form.", {
      url: s.text("Base address of the endpoint.", ""),
      model: s.text("Name of the model.", ""),
    }),
  ),
  docs: s.expanded(
    s.group("The documentation site: address, title, guides, slugs of packs.", {
      base: s.text(
        "Address at which the site is served. Without it, pages name no permanent address, there is no sitemap, and `ot.help` links to no page.",
        "",
      ),
      slugs: s.map(s.text(), "Folder of a pack below the address, by pack. Default: its name.", {}),
    }),
  ),
  log: s.expanded(
    s.group("Level, and a file instead of standard error.", {
      level: s.choice(
        ["trace", "debug", "info", "warn", "error", "silent"],
        "Least severe level that is logged.",
        "info",
      ),
      file: s.nullable("Path from the project root. Default: standard error."),
    }),
  ),
};
