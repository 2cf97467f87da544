/**
 * Shell code of the steps that CI runs, for every CI system. `$BASELINE` is the commit to compare with, `$BRANCH` the branch of a
 * proposal, `$MARK` the first line of a comment, by which the next run finds it: projects of one repository have their own. Texts of definitions and servers are never part of the code.
 */

/** Markdown of findings, which a pull request shows. */
export const REPORT_FILE = "breaking.md";
/** What was learned, as text. */
const LEARNED_FILE = "learned.md";
/** Findings for code scanning. */
export const SARIF_FILE = "breaking.sarif";

/** Exit code 1 says that there are findings or that a server failed: another step has reported it. */
const UNLESS_FAULT = "|| [ $? -eq 1 ]";

/** Builds in memory and compares with what is committed. */
export const checkScript = (toolwright: string): string => `${toolwright} check --strict`;

/** Whether the baseline has generated code: the change that adds it has nothing to compare with. */
export const HAS_BASELINE = 'git cat-file -e "$BASELINE:./generated/registry.json"';

/** Compares with the baseline. */
export const breakingScript = (toolwright: string, format: string): string =>
  `${toolwright} breaking --against "git:$BASELINE" --format ${format}`;

/** The same into a file; findings do not fail the step. */
export const breakingFile = (toolwright: string, format: string, file: string): string =>
  `${breakingScript(toolwright, format)} > ${file} ${UNLESS_FAULT}`;

/** Asks the servers, generates from what they offer, and writes what that would break. */
export const snapshotScript = (toolwright: string): string =>
  [
    `${toolwright} snapshot ${UNLESS_FAULT}`,
    `${toolwright} generate`,
    `${toolwright} breaking --against git:HEAD --format markdown > ${REPORT_FILE} ${UNLESS_FAULT}`,
  ].join("\n");

/** Writes what calls have shown, and generates from it. The text is indented, so that Markdown shows it as it is. */
export const learnScript = (toolwright: string): string =>
  [`${toolwright} learn > learned.txt`, `sed 's/^/    /' learned.txt > ${LEARNED_FILE}`, `${toolwright} generate`].join(
    "\n",
  );

/** A change that CI proposes. */
export interface Proposal {
  readonly title: string;
  readonly message: string;
  /** File with the text of the pull request. */
  readonly body: string;
}

/** The two proposals. */
export const PROPOSALS = {
  snapshot: {
    title: "Servers have changed",
    message: "Snapshots of servers, as they are now",
    body: REPORT_FILE,
  },
  learn: {
    title: "Types and words were learned",
    message: "Types of results and words of help, as calls have shown them",
    body: LEARNED_FILE,
  },
} as const satisfies Readonly<Record<string, Proposal>>;

const FILES = "definitions generated";

/**
 * Commits what has changed on a branch of its own, and pushes it unless it is there already.
 *
 * @param push the command that pushes the branch
 * @param then what opens the pull request
 */
const proposed = (
  { message }: Proposal,
  author: readonly [name: string, email: string],
  push: string,
  then: string,
): string => `if [ -z "$(git status --porcelain -- ${FILES})" ]; then exit 0; fi
git config user.name "${author[0]}"
git config user.email "${author[1]}"
git checkout --quiet -B "$BRANCH"
git add -- ${FILES}
git commit --quiet --message "${message}"
if git fetch --quiet origin "$BRANCH" && git diff --quiet FETCH_HEAD HEAD -- ${FILES}; then
  echo "The branch $BRANCH has this change already."
else
  ${push}
fi
${then}git checkout --quiet -`;

/** Opens a pull request on GitHub, or gives the open one the new text. */
export const githubProposal = (proposal: Proposal): string =>
  proposed(
    proposal,
    ["github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"],
    'git push --quiet --force origin "$BRANCH"',
    `number=$(gh pr list --head "$BRANCH" --state open --json number --jq '.[].number')
if [ -n "$number" ]; then
  gh pr edit "$number" --body-file ${proposal.body}
elif ! gh pr create --head "$BRANCH" --title "${proposal.title}" --body-file ${proposal.body}; then
  echo "::error::No pull request was opened. If GitHub Actions may open none here, allow it: Settings, Actions, General, Workflow permissions."
  exit 1
fi
`,
  );

/** Pushes to GitLab, which opens the merge request; an open one stays. */
export const gitlabProposal = (proposal: Proposal): string =>
  proposed(
    proposal,
    ["toolwright", "toolwright@noreply.invalid"],
    `git push --quiet --force -o merge_request.create -o "merge_request.target=$CI_DEFAULT_BRANCH" -o "merge_request.title=${proposal.title}" "$CI_SERVER_PROTOCOL://oauth2:$TOOLWRIGHT_TOKEN@$CI_SERVER_HOST:$CI_SERVER_PORT/$CI_PROJECT_PATH.git" "$BRANCH"`,
    "",
  );

/** Writes the comment on a pull request of GitHub, changes that of an earlier run, or deletes it where nothing is found any more. */
export const githubComment = (toolwright: string): string => `${breakingFile(toolwright, "markdown", REPORT_FILE)}
comment=$(gh api "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" --paginate --jq '.[] | select(.user.type == "Bot" and (.body | startswith(env.MARK))) | .id' | head -n 1)
if [ -s ${REPORT_FILE} ]; then
  { echo "$MARK"; cat ${REPORT_FILE}; } > comment.md
  if [ -n "$comment" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$comment" --field body=@comment.md
  else
    gh pr comment "$NUMBER" --body-file comment.md
  fi
elif [ -n "$comment" ]; then
  gh api --silent --method DELETE "repos/$GITHUB_REPOSITORY/issues/comments/$comment"
fi`;

/** Prints the number of the note that the account has made before, or that there may be more notes on the next page. */
const FIND_NOTE =
  'const notes = JSON.parse(require("fs").readFileSync(0)); const own = notes.find(({ author, body }) => author.id == process.env.OWN && body.startsWith(process.env.MARK)); console.log(own ? own.id : notes.length < 100 ? "" : "more")';

/** Writes the note on a merge request of GitLab, changes that of an earlier pipeline, or deletes it where nothing is found any more. A token has to allow it. */
export const gitlabComment = (toolwright: string): string => `${breakingFile(toolwright, "markdown", REPORT_FILE)}
if [ -n "\${TOOLWRIGHT_TOKEN:-}" ]; then
  ask() { curl --silent --show-error --fail --header "PRIVATE-TOKEN: $TOOLWRIGHT_TOKEN" "$@"; }
  notes="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
  OWN=$(ask "$CI_API_V4_URL/user" | node --print 'JSON.parse(require("fs").readFileSync(0)).id')
  export OWN
  note=more
  page=0
  while [ "$note" = more ]; do
    page=$((page + 1))
    note=$(ask "$notes?sort=asc&per_page=100&page=$page" | node --eval '${FIND_NOTE}')
  done
  if [ -s ${REPORT_FILE} ]; then
    { echo "$MARK"; cat ${REPORT_FILE}; } > comment.md
    if [ -n "$note" ]; then
      ask --output /dev/null --request PUT --data-urlencode body@comment.md "$notes/$note"
    else
      ask --output /dev/null --data-urlencode body@comment.md "$notes"
    fi
  elif [ -n "$note" ]; then
    ask --output /dev/null --request DELETE "$notes/$note"
  fi
fi`;
