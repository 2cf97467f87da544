/** The search of the worked example, on every database, and its words and trigrams. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { snippet, terms, trigrams, words } from "../../../definitions/onto/backend/text.js";
import { DATABASES } from "../../runtime/state/databases.js";
import { type Answer, newDocument, newProject, newTask, openWorkspace, type Workspace } from "./workspace.js";

const TITLES = [
  "Review the launch budget",
  "Budget for marketing in spring",
  "Write launch announcement",
  "Call the printer about the announcement",
  "Plan the spring offsite",
  "Café terrace permit",
  "会议纪要 整理",
  "Fix crash on startup",
  "Startup grant application",
  "Order printer",
];

const labels = (answer: Answer): string[] => answer.items.map((item: Answer) => item.label);

/** What each database answered to the same questions on the same data. */
const answers = new Map<string, unknown>();

describe.each(DATABASES)("search on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let w: Workspace;
    let project: string;
    beforeAll(async () => {
      w = await openWorkspace(database);
      project = await newProject(w, "Campaign");
      for (const title of TITLES) await newTask(w, project, title);
      await newTask(w, project, "Unrelated", { description: "Mentions the budget once, far from the title." });
      await newDocument(w, project, "Budget 2026", {
        content: `${"filler ".repeat(300)} the zebra clause ${"more ".repeat(300)}`,
      });
      await newDocument(w, project, "Old budget", { state_key: "archived" });
    });
    afterAll(() => w.close());

    it("puts labels before texts, and equal labels first", async () => {
      const found = await w.call("onto.task.search", { search: "budget" });
      expect(labels(found).slice(0, 2).sort()).toEqual(["Budget for marketing in spring", "Review the launch budget"]);
      expect(labels(found).at(-1)).toBe("Unrelated");
      const exact = await w.call("onto.task.search", { search: "write LAUNCH announcement" });
      expect(exact.items[0]).toMatchObject({ label: "Write launch announcement", score: 1, project_name: "Campaign" });
    });

    it("finds beginnings of the last word, and words spelt a little differently", async () => {
      expect(labels(await w.call("onto.task.search", { search: "announ" })).length).toBe(2);
      expect(labels(await w.call("onto.task.search", { search: "anouncement launch" }))[0]).toBe(
        "Write launch announcement",
      );
      expect(labels(await w.call("onto.task.search", { search: "printr" }))).toEqual(["Order printer"]);
      expect(labels(await w.call("onto.task.search", { search: "café" }))).toEqual(["Café terrace permit"]);
      expect(labels(await w.call("onto.task.search", { search: "会议纪要" }))).toEqual(["会议纪要 整理"]);
    });

    it("filters, hints when nothing fits, and leaves archived documents out unless asked", async () => {
      const none = await w.call("onto.task.search", { search: "xylophone", project_id: project });
      expect(none).toMatchObject({
        items: [],
        pagination: { total: 0, has_more: false },
        hint: expect.stringContaining("onto.task.list"),
      });
      expect(labels(await w.call("onto.task.search", { search: "budget", state_key: "done" }))).toEqual([]);
      expect(labels(await w.call("onto.document.search", { search: "budget" }))).toEqual(["Budget 2026"]);
      expect(labels(await w.call("onto.document.search", { search: "budget", state_key: "archived" }))).toEqual([
        "Old budget",
      ]);
      expect(labels(await w.call("onto.project.search", { search: "campaign" }))).toEqual(["Campaign"]);
      expect(
        labels(await w.call("onto.project.search", { search: "campaign", type_key: "project.personal.life" })),
      ).toEqual([]);
    });

    it("searches all kinds, or those asked for; a term that names the project excludes nothing", async () => {
      const all = await w.call("onto.search", { query: "Campaign budget" });
      expect(new Set(all.items.map((item: Answer) => item.kind))).toEqual(new Set(["task", "document"]));
      const docs = await w.call("onto.search", { query: "budget", types: ["document"] });
      expect(labels(docs)).toEqual(["Budget 2026"]);
    });

    it("shows where the words are", async () => {
      const [hit] = (await w.call("onto.document.search", { search: "zebra" })).items;
      expect(hit.snippet).toContain("zebra clause");
      expect([...hit.snippet].length).toBeLessThanOrEqual(220);
    });

    it("pages through hits, and says the same each time", async () => {
      const first = await w.call("onto.search", { query: "launch budget announcement", limit: 3 });
      const second = await w.call("onto.search", { query: "launch budget announcement", limit: 3, offset: 3 });
      const whole = await w.call("onto.search", { query: "launch budget announcement", limit: 50 });
      expect([...first.items, ...second.items]).toEqual(whole.items.slice(0, 6));
      expect(first.pagination).toMatchObject({ total: whole.items.length, next_offset: 3 });
      expect(await w.call("onto.search", { query: "launch budget announcement", limit: 50 })).toEqual(whole);
    });

    it("ranks alike on both databases, in any order of writing", { tags: "full" }, async () => {
      const shuffled = await newProject(w, "Shuffled");
      for (const title of [...TITLES].reverse()) await newTask(w, shuffled, title);
      const of = async (id: string, search: string) =>
        (await w.call("onto.task.search", { search, project_id: id, limit: 50 })).items
          .map((item: Answer) => `${item.score} ${item.label}`)
          .sort();
      const asked = ["budget", "launch", "spring startup", "the", "anouncement", "plan of the budget"];
      const fresh = await newProject(w, "Fresh");
      for (const title of TITLES) await newTask(w, fresh, title);
      for (const search of asked) expect(await of(shuffled, search)).toEqual(await of(fresh, search));
      const mine = await Promise.all(asked.map((search) => of(fresh, search)));
      for (const [name, theirs] of answers) expect(mine, `as on ${name}`).toEqual(theirs);
      answers.set(database.name, mine);
    });
  });
});

describe("text", () => {
  it("takes words apart and drops those that say nothing", () => {
    expect(words("Don't STOP-me, Ünï 42!")).toEqual(["don", "t", "stop", "me", "ünï", "42"]);
    expect(terms("the plan of the plan")).toEqual(["plan"]);
    expect(terms("to be")).toEqual(["to", "be"]);
    expect([...trigrams("ab")]).toEqual(["  a", " ab", "ab "]);
  });

  it("cuts snippets at words, within their bound", () => {
    const text = `${"word ".repeat(100)}needle ${"word ".repeat(100)}`;
    const cut = snippet(text, ["needle"], 60);
    expect(cut).toContain("needle");
    expect(cut.length).toBeLessThanOrEqual(60);
    expect(cut.startsWith("…") && cut.endsWith("…")).toBe(true);
    expect(snippet("short  text", ["x"], 60)).toBe("short text");
    expect([...snippet("😀".repeat(500), ["x"], 60)].length).toBeLessThanOrEqual(60);
  });
});
