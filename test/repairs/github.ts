/** A description of an HTTP API like that of a code host: nested bodies, enums, ids in paths, numbers and flags. */

const text = (rest: object = {}) => ({ type: "string", ...rest });
const whole = (rest: object = {}) => ({ type: "integer", ...rest });
const flag = (rest: object = {}) => ({ type: "boolean", ...rest });
const list = (items: object) => ({ type: "array", items });
const inPath = (name: string, schema: object) => ({ name, in: "path", required: true, schema });
const inQuery = (name: string, schema: object) => ({ name, in: "query", schema });

const OWNER = inPath("owner", text());
const REPO = inPath("repo", text());
const NUMBER = inPath("issue_number", whole({ minimum: 1 }));
const PULL = inPath("pull_number", whole({ minimum: 1 }));
const PAGE = [inQuery("per_page", whole({ minimum: 1, maximum: 100, default: 30 })), inQuery("page", whole())];
const STATE = text({ enum: ["open", "closed", "all"], default: "open" });
const SINCE = inQuery("since", text({ format: "date-time" }));
const SORT = inQuery("sort", text({ enum: ["created", "updated", "comments"] }));
const DIRECTION = inQuery("direction", text({ enum: ["asc", "desc"] }));
const ANSWERS = { responses: { "200": { description: "OK" } } };

const body = (properties: object, required: readonly string[] = []) => ({
  requestBody: {
    required: true,
    content: { "application/json": { schema: { type: "object", properties, required, additionalProperties: false } } },
  },
});

const operation = (operationId: string, summary: string, parameters: readonly object[], rest: object = {}) => ({
  operationId,
  summary,
  parameters,
  ...rest,
  ...ANSWERS,
});

const ISSUE = {
  title: text({ minLength: 1 }),
  body: text(),
  labels: list(text()),
  assignees: list(text()),
  milestone: whole(),
};
const REVIEW_COMMENT = {
  type: "object",
  properties: { path: text(), line: whole({ minimum: 1 }), body: text(), side: text({ enum: ["LEFT", "RIGHT"] }) },
  required: ["path", "body"],
  additionalProperties: false,
};

const issues = {
  "/repos/{owner}/{repo}/issues": {
    get: operation("list_issues", "List issues", [
      ...[OWNER, REPO, inQuery("state", STATE), inQuery("labels", list(text())), SORT, DIRECTION, SINCE],
      ...PAGE,
    ]),
    post: operation("create_issue", "Create an issue", [OWNER, REPO], body(ISSUE, ["title"])),
  },
  "/repos/{owner}/{repo}/issues/{issue_number}": {
    get: operation("get_issue", "Get an issue", [OWNER, REPO, NUMBER]),
    patch: operation(
      "update_issue",
      "Update an issue",
      [OWNER, REPO, NUMBER],
      body({
        ...ISSUE,
        state: text({ enum: ["open", "closed"] }),
        state_reason: text({ enum: ["completed", "not_planned", "reopened"] }),
      }),
    ),
  },
  "/repos/{owner}/{repo}/issues/{issue_number}/lock": {
    put: operation(
      "lock_issue",
      "Lock an issue",
      [OWNER, REPO, NUMBER],
      body({ lock_reason: text({ enum: ["off-topic", "too heated", "resolved", "spam"] }) }),
    ),
  },
  "/repos/{owner}/{repo}/issues/{issue_number}/comments": {
    post: operation(
      "create_issue_comment",
      "Comment on an issue",
      [OWNER, REPO, NUMBER],
      body({ body: text() }, ["body"]),
    ),
  },
  "/repos/{owner}/{repo}/milestones": {
    post: operation(
      "create_milestone",
      "Create a milestone",
      [OWNER, REPO],
      body({ title: text(), due_on: text({ format: "date-time" }), state: text({ enum: ["open", "closed"] }) }, [
        "title",
      ]),
    ),
  },
};

const pulls = {
  "/repos/{owner}/{repo}/pulls": {
    get: operation("list_pulls", "List pull requests", [OWNER, REPO, inQuery("state", STATE), DIRECTION, ...PAGE]),
    post: operation(
      "create_pull",
      "Create a pull request",
      [OWNER, REPO],
      body({ title: text(), head: text(), base: text(), body: text(), draft: flag() }, ["title", "head", "base"]),
    ),
  },
  "/repos/{owner}/{repo}/pulls/{pull_number}/merge": {
    put: operation(
      "merge_pull",
      "Merge a pull request",
      [OWNER, REPO, PULL],
      body({ commit_title: text(), merge_method: text({ enum: ["merge", "squash", "rebase"] }), sha: text() }),
    ),
  },
  "/repos/{owner}/{repo}/pulls/{pull_number}/reviews": {
    post: operation(
      "create_review",
      "Review a pull request",
      [OWNER, REPO, PULL],
      body(
        {
          body: text(),
          event: text({ enum: ["APPROVE", "REQUEST_CHANGES", "COMMENT"] }),
          comments: list(REVIEW_COMMENT),
        },
        ["event"],
      ),
    ),
  },
};

const repositories = {
  "/repos/{owner}/{repo}": {
    get: operation("get_repo", "Get a repository", [OWNER, REPO]),
    patch: operation(
      "update_repo",
      "Update a repository",
      [OWNER, REPO],
      body({
        description: text(),
        private: flag(),
        has_issues: flag(),
        archived: flag(),
        default_branch: text(),
        topics: list(text()),
      }),
    ),
    delete: operation("delete_repo", "Delete a repository", [OWNER, REPO]),
  },
  "/user/repos": {
    post: operation(
      "create_repo",
      "Create a repository",
      [],
      body({ name: text(), description: text(), private: flag({ default: false }), auto_init: flag() }, ["name"]),
    ),
  },
  "/repos/{owner}/{repo}/contents/{path}": {
    put: operation(
      "write_file",
      "Create or update a file",
      [OWNER, REPO, inPath("path", text())],
      body(
        {
          message: text(),
          content: text(),
          branch: text(),
          committer: {
            type: "object",
            properties: { name: text(), email: text({ format: "email" }), date: text({ format: "date-time" }) },
            required: ["name", "email"],
            additionalProperties: false,
          },
        },
        ["message", "content"],
      ),
    ),
    delete: operation("delete_file", "Delete a file", [
      ...[OWNER, REPO, inPath("path", text())],
      { ...inQuery("message", text()), required: true },
    ]),
  },
  "/search/repositories": {
    get: operation("search_repos", "Search repositories", [
      { ...inQuery("q", text()), required: true },
      inQuery("sort", text({ enum: ["stars", "forks", "updated"] })),
      ...PAGE,
    ]),
  },
  "/notifications": {
    get: operation("list_notifications", "List notifications", [
      ...[inQuery("all", flag({ default: false })), inQuery("participating", flag()), SINCE, ...PAGE],
    ]),
  },
};

/** The description, as JSON. */
export const CODE_HOST = {
  openapi: "3.1.0",
  info: { title: "Code host" },
  servers: [{ url: "https://api.example.com" }],
  paths: { ...issues, ...pulls, ...repositories },
};
