/** Checks the addresses of `expose.resources` and the names of `expose.prompts`, which the shape of the keys cannot express. */

import type { Config } from "../../generator/config/config.js";
import { messageValue } from "../../generator/core/message-value.js";
import type { ShapeCheck } from "../../generator/core/shape.js";
import { OWN_PROMPTS, OWN_SCHEME, SNIPPET_PREFIX } from "./own-names.js";
import { EXPOSED_RULES } from "./rules.js";
import { exposedIn } from "./settings.js";
import { overlap, readTemplate } from "./uri-template.js";

/** Reports addresses and names that cannot be served. */
export function checkExposedKeys(config: Pick<Config, "expose">, checking: ShapeCheck): void {
  const { resources, prompts } = exposedIn(config);
  checkAddresses(Object.keys(resources), checking);
  for (const name of Object.keys(prompts)) checkPromptName(name, checking);
}

/** Requirements on the address of a resource, each with its check. */
const ADDRESS: readonly (readonly [expected: string, holds: (address: string) => boolean])[] = [
  ["addresses such as notes://today, without blanks", (one) => /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu.test(one)],
  [`of another scheme than ${OWN_SCHEME}, which the server's own have`, (one) => !startsWith(one, OWN_SCHEME)],
  ["templates of {variables} with text between them, each once", (one) => readTemplate(one) !== undefined],
];

const startsWith = (text: string, start: string): boolean => text.toLowerCase().startsWith(start);

function checkAddresses(addresses: readonly string[], { place, report }: ShapeCheck): void {
  const templates = addresses.flatMap((address) => {
    const [expected] = ADDRESS.find(([, holds]) => !holds(address)) ?? [];
    const at = place("expose", "resources", address);
    const fault = { path: "names in expose.resources", received: messageValue(address) };
    if (expected !== undefined) report.add("config-invalid", at, { ...fault, expected });
    const template = readTemplate(address);
    return template && template.variables.length > 0 ? [{ address, template }] : [];
  });
  for (const [i, one] of templates.entries())
    for (const other of templates.slice(0, i))
      if (overlap(one.template, other.template))
        report.addOf("offer-ambiguous", EXPOSED_RULES["offer-ambiguous"], place("expose", "resources", one.address), {
          one: other.address,
          other: one.address,
        });
}

function checkPromptName(name: string, { place, report }: ShapeCheck): void {
  const isOwn = OWN_PROMPTS.includes(name) || name.startsWith(SNIPPET_PREFIX);
  if (!isOwn && /^[\w.-]{1,64}$/.test(name)) return;
  report.add("config-invalid", place("expose", "prompts", name), {
    path: "a name in expose.prompts",
    expected: isOwn
      ? `another than ${OWN_PROMPTS.join(", ")} and ${SNIPPET_PREFIX}…, which the server's own have`
      : "1 to 64 letters, digits, dots, hyphens and underscores",
    received: messageValue(name),
  });
}
