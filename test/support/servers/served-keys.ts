/** The project `access-demo` over HTTP, with a key of every grant. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HttpServed, serveHttp } from "../http.js";
import { keysOfEveryGrant } from "../keys.js";
import { CHECKOUT, generatedRoot } from "../project.js";

/** The running server and its keys; the test file stops it at its end. */
export interface ServedKeys {
  readonly root: string;
  readonly known: Awaited<ReturnType<typeof keysOfEveryGrant>>;
  readonly server: HttpServed;
}

/**
 * @param config lines of `toolwright.yaml` beside its sources, written after `generate`
 * @param port default: a free one
 */
export async function serveKeys(
  later: (clean: () => unknown) => void,
  config: readonly string[] = [],
  args: readonly string[] = [],
  port = 0,
): Promise<ServedKeys> {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"), later);
  if (config.length > 0)
    writeFileSync(
      join(root, "definitions", "toolwright.yaml"),
      ["sources: [{ functions: vault.ts }]", ...config, ""].join("\n"),
    );
  const known = await keysOfEveryGrant(root);
  later(() => known.keys.close());
  return { root, known, server: await serveHttp(root, args, async (clean) => later(clean), port) };
}
