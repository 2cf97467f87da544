/** `ot.help` puts titles first, and finds at least what plain minisearch finds, for functions and questions from elsewhere. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Registry } from "../../../../runtime/contract/registry.js";
import { hasCorpus } from "../../../support/generator-bfcl.js";
import { completeTool } from "../../../support/partial-registry.js";
import { CHECKOUT } from "../../../support/project.js";
import { randomOf, shuffled } from "../../../support/random.js";
import {
  helpFinder,
  leaderboardQuestions,
  leaderboardTools,
  minisearchFinder,
  mistyped,
  recall,
} from "../../../support/search/search-quality.js";
import { byTitle } from "../../../support/search/title-questions.js";

test("every title of the example is first, as it is written", async () => {
  const { tools }: Registry = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
  const titles = new Map(tools.map(({ op, summary }) => [op, summary]));
  const find = helpFinder(byTitle(tools));
  for (const title of titles.values()) expect(titles.get((await find(title))[0] ?? "")).toBe(title);
});

test("a title with a long description behind it is before short texts with the same words", async () => {
  const about = "It holds its owner, visibility, branches, permissions and links. ".repeat(30);
  const titles = {
    repos_get: "Get a repository",
    repos_get_secret: "Get a repository secret",
    repos_list: "List repositories",
    pulls_list: "List pull requests",
    pulls_list_files: "List pull requests files",
    pulls_get: "Get a pull request",
  };
  const tools = Object.entries(titles).map(([name, summary]) =>
    completeTool({
      ...{ op: `hub.${name}`, tool_name: name, summary },
      description: name === "repos_get" || name === "pulls_list" ? `${summary}\n\n${about}` : summary,
    }),
  );
  const find = helpFinder(byTitle(tools));
  const questions = { "Get a repository": "repos_get", "list pull requests": "pulls_list", "fetch repo": "repos_get" };
  for (const [query, name] of Object.entries(questions)) expect((await find(query))[0], query).toBe(`hub.${name}`);
});

const WHY = hasCorpus ? "" : " (skipped: the corpora are not beside the checkout)";

describe.skipIf(!hasCorpus)(`search on functions of the Berkeley leaderboard${WHY}`, () => {
  const tools = hasCorpus ? leaderboardTools() : [];
  const help = helpFinder(tools);

  test("of 250 questions more are answered among five than by plain minisearch, by a twentieth", {
    tags: "slow",
  }, async () => {
    const asked = shuffled(leaderboardQuestions(), randomOf(6)).slice(0, 250);
    const [ours, peer] = [await recall(help, tools, asked), await recall(minisearchFinder(tools), tools, asked)];
    expect(ours.five / peer.five).toBeGreaterThanOrEqual(1.05);
    expect(ours.five).toBeGreaterThan(0.8);
  });

  test("names of eight letters and more are found with one of them wrong", { tags: "full" }, async () => {
    const random = randomOf(7);
    const named = shuffled(tools, random).filter(({ name }) => name.length >= 8);
    const asked = named.slice(0, 120).map(({ name }) => ({ text: mistyped(name, 1, random), names: [name] }));
    expect((await recall(help, tools, asked)).five).toBeGreaterThan(0.9);
  });
});
