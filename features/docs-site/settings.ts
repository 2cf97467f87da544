/** Keys of the documentation site. The core has `docs.base` and `docs.slugs`, which `ot.help` reads too. */

import type { FeatureSetting } from "../../runtime/contract/settings/feature-settings.js";
import { type WrittenConfig, withDefaults } from "../../runtime/contract/settings/project-settings.js";
import * as s from "../../runtime/contract/settings/setting.js";

const GUIDES = "definitions/guides";
const TITLE = "Tool reference";

/** All keys. */
export const DOCS_SETTINGS: readonly FeatureSetting[] = [
  {
    key: "docs.guides",
    after: "base",
    setting: s.text("Folder of Markdown pages that stand beside the reference; a path from the project root.", GUIDES),
  },
  { key: "docs.title", setting: s.text("Title of the site.", TITLE) },
];

/** They are checked when the file is read. */
interface DocsConfig {
  readonly docs?: { readonly guides?: string; readonly title?: string };
}

/** `docs` of the project, with its defaults, and whether it names the folder of the guides. */
export function docsOf(config: WrittenConfig) {
  const { guides, title = TITLE } = (config as DocsConfig).docs ?? {};
  const { base, slugs } = withDefaults(config).docs;
  return { base, slugs, title, guides: guides ?? GUIDES, namesGuides: guides !== undefined };
}
