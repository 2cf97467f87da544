/** The note on a merge request of GitLab: the script of the job is run by bash, with curl, against a double of GitLab's API. */

import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/project.js";
import { listening } from "../../../test/support/upstream/http.js";
import { gitlabComment } from "../scripts.js";

interface Note {
  readonly id: number;
  readonly author: { readonly id: number };
  readonly body: string;
}

const MARK = "<!-- toolwright breaking shop -->";
const OWN = 41;
const NOTES = "/api/v4/projects/5/merge_requests/3/notes";
const noteOf = (id: number, author: number, body: string): Note => ({ id, author: { id: author }, body });
const hasCurl = (() => {
  try {
    return execFileSync("curl", ["--version"]).length > 0;
  } catch {
    return false;
  }
})();

/** A double of GitLab with the notes of one merge request. */
async function gitlab(...first: readonly Note[]) {
  const notes = new Map(first.map((one) => [one.id, one]));
  const asked: string[] = [];
  const { origin } = await listening(({ method = "", url = "", headers }, response, text) => {
    const { pathname, searchParams } = new URL(url, "http://x");
    const answer = (status: number, value: unknown = {}): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    asked.push(`${method} ${pathname}`);
    if (headers["private-token"] !== "s3cret") return answer(401);
    if (pathname === "/api/v4/user") return answer(200, { id: OWN });
    const size = Number(searchParams.get("per_page") ?? 20);
    const from = (Number(searchParams.get("page") ?? 1) - 1) * size;
    if (pathname === NOTES && method === "GET") return answer(200, [...notes.values()].slice(from, from + size));
    const body = new URLSearchParams(text).get("body") ?? "";
    const id = Number(pathname.slice(NOTES.length + 1)) || Math.max(0, ...notes.keys()) + 1;
    if (method === "DELETE") notes.delete(id);
    else notes.set(id, noteOf(id, OWN, body));
    return answer(method === "POST" ? 201 : 200);
  });
  return { address: `${origin}/api/v4`, asked, bodies: () => [...notes.values()].map(({ body }) => body) };
}

/** Runs the script as GitLab's runner does, where `toolwright` finds this. */
async function commented(address: string, found: string, token = "s3cret"): Promise<void> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "found.md"), found);
  writeFileSync(join(folder, "toolwright"), '#!/bin/sh\ncat "$(dirname "$0")/found.md"\n', { mode: 0o755 });
  const env = {
    ...process.env,
    ...{ BASELINE: "abc", MARK, CI_API_V4_URL: address, CI_PROJECT_ID: "5", CI_MERGE_REQUEST_IID: "3" },
    TOOLWRIGHT_TOKEN: token,
  };
  const words = ["--noprofile", "--norc", "-eo", "pipefail", "-c", gitlabComment("./toolwright")];
  await promisify(execFile)("bash", words, { cwd: folder, env });
}

test.skipIf(!hasCurl)("pipelines after the first change the note, and delete it once nothing is found", async () => {
  const { address, asked, bodies } = await gitlab(noteOf(1, 7, "Please look at & at 100 %."));
  await commented(address, "one `tool-removed` & more\n");
  await commented(address, "two\n");
  expect(bodies()).toEqual(["Please look at & at 100 %.", `${MARK}\ntwo\n`]);
  expect(asked.filter((one) => !one.startsWith("GET"))).toEqual([`POST ${NOTES}`, `PUT ${NOTES}/2`]);
  await commented(address, "");
  expect(bodies()).toEqual(["Please look at & at 100 %."]);
  await commented(address, "");
  expect(asked.filter((one) => one.startsWith("DELETE"))).toEqual([`DELETE ${NOTES}/2`]);
});

test.skipIf(!hasCurl)("a note of somebody else, and one of another project, stay as they are", async () => {
  const others = [noteOf(1, 7, `${MARK}\nquoted`), noteOf(2, OWN, "<!-- toolwright breaking -->\nother")];
  const { address, bodies } = await gitlab(...others);
  await commented(address, "mine\n");
  expect(bodies()).toEqual([...others.map(({ body }) => body), `${MARK}\nmine\n`]);
});

test.skipIf(!hasCurl)("the note is found behind many others", async () => {
  const many = Array.from({ length: 230 }, (_, at) => noteOf(at + 1, 7, "a"));
  const { address, asked, bodies } = await gitlab(...many, noteOf(500, OWN, `${MARK}\nold`));
  await commented(address, "new\n");
  expect(bodies().at(-1)).toBe(`${MARK}\nnew\n`);
  expect(asked.filter((one) => one === `GET ${NOTES}`)).toHaveLength(3);
});

test.skipIf(!hasCurl)("without a token nothing is asked; a refusal fails the job", async () => {
  const { address, asked } = await gitlab();
  await commented(address, "a\n", "");
  expect(asked).toEqual([]);
  await expect(commented(address, "a\n", "wrong")).rejects.toThrow(/401/);
});
