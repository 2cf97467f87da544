/** Clients of every protocol era complete approvals: real clients, real servers, over stdio and HTTP. */

import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { describe, expect } from "vitest";
import { eachCase } from "../../support/each-case.js";
import type { Json } from "../../support/project.js";
import {
  ADDRESS,
  adding,
  approvingRoot,
  asked,
  command,
  ERAS,
  exec,
  notesOf,
  ran,
  TRANSPORTS,
} from "../../support/servers/approving.js";

const SLOW = { timeout: 300_000 };

const EVERYWHERE = TRANSPORTS.flatMap(([transport, connect]) =>
  ERAS.map(([era, options]) => [`${era} over ${transport}`, options, connect] as const),
);

const idIn = (text: string): string => /^Paused (run_\w+): /.exec(text)?.[1] ?? text;

describe("a client that asks its user nothing", () => {
  eachCase(EVERYWHERE, "2025-06-18 over HTTP", "2026-07-28 over stdio")(
    "%s is told what waits and what to do, and gets the answer later",
    { ...SLOW, tags: "slow" },
    async (_, options, connect) => {
      const root = await approvingRoot();
      const client = new Client({ name: "plain", version: "1" }, options);
      const caller = await connect(client, root);
      const { text, structured, isError } = await ran(client, adding(root, "one"));
      const id = idIn(text);
      const args = { text: "one", file: expect.any(String) };
      const page = `${ADDRESS}/#/approvals/${id}`;
      expect(text).toContain(`Paused ${id}: 1 call waits for approval\n1: vault.add_note {"text":"one"`);
      expect(text).toContain(`Next: Open ${page}, then ot.resume("${id}").`);
      expect(isError).toBe(true);
      expect(structured).toEqual({
        status: "paused",
        run: id,
        count: 1,
        waiting: [
          {
            ...{ id: expect.stringMatching(/^ap_/), call: "1", kind: "approval", op: "vault.add_note", args },
            ...{ by: ["console", "cli"], expires_at: expect.any(String) },
          },
        ],
        page,
        resume: { op: "ot.resume", args: { id } },
      });
      expect(notesOf(root)).toEqual([]);
      await command(root, "runs", "approve", id);
      expect(await exec(client, structured.resume.op, structured.resume.args)).toMatchObject({
        ok: true,
        result: "one",
      });
      expect(notesOf(root)).toEqual([`${caller}: one`]);
    },
  );
});

describe("a client that opens pages", () => {
  eachCase(
    EVERYWHERE.filter(([name]) => !name.startsWith("2025-06-18")),
    "2025-11-25 over HTTP",
  )("%s goes on when a person has decided there", { ...SLOW, tags: "slow" }, async (_, options, connect) => {
    const root = await approvingRoot();
    const questions: Json[] = [];
    const client = asked(options, { url: {} }, async (params) => {
      questions.push(params);
      await command(root, "runs", "approve", /run_\w+/.exec(params.url)?.[0] ?? "");
      return { action: "accept" };
    });
    const caller = await connect(client, root);
    expect(await ran(client, adding(root, "one"))).toMatchObject({ text: "one", isError: false });
    expect(questions).toMatchObject([{ mode: "url", url: expect.stringContaining(`${ADDRESS}/#/approvals/run_`) }]);
    expect(notesOf(root)).toEqual([`${caller}: one`]);
  });

  eachCase(
    EVERYWHERE.filter(([name]) => !name.startsWith("2025-06-18")),
    "2026-07-28 over stdio",
  )("%s is told that the program waits if its user does not", SLOW, async (_, options, connect) => {
    const root = await approvingRoot();
    const client = asked(options, { url: {}, form: {} }, () => ({ action: "decline" }));
    await connect(client, root);
    expect(await ran(client, adding(root, "one"))).toMatchObject({
      text: expect.stringMatching(/^Paused run_/),
      structured: { status: "paused" },
    });
    expect(notesOf(root)).toEqual([]);
  });
});

const FORMS = { by: ["elicitation", "cli"] };
const approve = { action: "accept", content: { decision: "approve" } };

describe("a form in the client", () => {
  eachCase(EVERYWHERE, "2025-06-18 over stdio", "2026-07-28 over HTTP")(
    "%s decides each call of a program, and who decided is kept",
    SLOW,
    async (_, options, connect) => {
      const root = await approvingRoot(FORMS);
      const questions: Json[] = [];
      const client = asked(options, {}, (params) => {
        questions.push(params);
        return approve;
      });
      const caller = await connect(client, root);
      expect(await ran(client, adding(root, "one", "two"))).toMatchObject({ text: "two", isError: false });
      expect(questions).toHaveLength(2);
      expect(questions[0].message).toMatch(/^The program run_\w+ asks to call vault.add_note \{"text":"one"/);
      expect(notesOf(root)).toEqual([`${caller}: one`, `${caller}: two`]);
      const [run] = JSON.parse(await command(root, "runs", "list", "--json")).runs;
      const shown = JSON.parse(await command(root, "runs", "show", run.id, "--json")).run;
      const decided = { status: "approved", decided_by: `${caller} by elicitation` };
      expect(shown.approvals).toMatchObject([decided, decided]);
    },
  );

  eachCase(EVERYWHERE, "2025-11-25 over stdio")(
    "%s rejects with a reason, which the program sees",
    SLOW,
    async (_, options, connect) => {
      const root = await approvingRoot(FORMS);
      const content = { decision: "reject", reason: "still needed" };
      const client = asked(options, {}, () => ({ action: "accept", content }));
      const caller = await connect(client, root);
      const { text, isError } = await ran(client, adding(root, "one"));
      expect(text).toContain(`rejected by ${caller} by elicitation: still needed. Nothing was changed.`);
      expect(isError).toBe(true);
      expect(notesOf(root)).toEqual([]);
    },
  );

  const OTHERS: readonly (readonly [name: string, by: readonly string[], answer: Json])[] = [
    ["is never offered without the rule that lists elicitation", ["console", "cli"], undefined],
    ["that is declined decides nothing", FORMS.by, { action: "decline" }],
    ["that is cancelled decides nothing", FORMS.by, { action: "cancel" }],
  ];
  const everyOther = EVERYWHERE.flatMap(([era, options, connect]) =>
    OTHERS.map(([name, by, answer]) => [`${era}: a form ${name}`, options, connect, by, answer] as const),
  );
  eachCase(
    everyOther,
    "2026-07-28 over stdio: a form is never offered without the rule that lists elicitation",
    "2025-11-25 over stdio: a form that is declined decides nothing",
  )("%s, and nothing is written", SLOW, async (_, options, connect, by, answer) => {
    const root = await approvingRoot({ by, hasAddress: false });
    const questions: Json[] = [];
    const client = asked(options as ClientOptions, {}, (params) => {
      questions.push(params);
      return answer;
    });
    await connect(client, root);
    expect(await ran(client, adding(root, "one"))).toMatchObject({ text: expect.stringMatching(/^Paused run_/) });
    expect(questions).toHaveLength(answer ? 1 : 0);
    expect(notesOf(root)).toEqual([]);
  });
});
