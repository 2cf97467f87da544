/** Makes the jobs of a project on GitLab: a file of their own, which `.gitlab-ci.yml` includes. */

import { type CiProject, suffixOf } from "./ci-project.js";
import {
  breakingFile,
  breakingScript,
  checkScript,
  gitlabComment,
  gitlabProposal,
  HAS_BASELINE,
  learnScript,
  PROPOSALS,
  REPORT_FILE,
  SARIF_FILE,
  snapshotScript,
} from "./scripts.js";

type Values = Readonly<Record<string, unknown>>;

const MERGE_REQUEST = "$CI_PIPELINE_SOURCE == 'merge_request_event'";
const NIGHT = "$CI_PIPELINE_SOURCE == 'schedule'";

/** The jobs. Scheduled pipelines ask servers and learn; the others check. */
export function gitlabJobs(project: CiProject, stage: string): Values {
  const { folder, install, installIn, toolwright } = project;
  const name = (job: string): string => `toolwright-${job}${suffixOf(project)}`;
  const branch = (kind: string): string => `export BRANCH="toolwright/${kind}${suffixOf(project)}"`;
  const common: Values = {
    stage,
    image: "node:22",
    variables: { GIT_DEPTH: "0" },
    before_script: [
      installIn === "." ? install : `(cd "${installIn}" && ${install})`,
      ...(folder === "." ? [] : [`cd "${folder}"`]),
    ],
  };
  const path = (file: string): string => (folder === "." ? file : `${folder}/${file}`);
  const compared = (...scripts: readonly string[]): string => `if ${HAS_BASELINE}; then
${scripts.join("\n").replace(/^/gm, "  ")}
fi`;
  return {
    [name("check")]: {
      ...common,
      rules: [{ if: `${MERGE_REQUEST} || ($CI_PIPELINE_SOURCE == 'push' && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH)` }],
      script: [checkScript(toolwright)],
    },
    [name("breaking")]: {
      ...common,
      rules: [{ if: MERGE_REQUEST }],
      script: [
        'export BASELINE="$CI_MERGE_REQUEST_DIFF_BASE_SHA"',
        `export MARK="<!-- toolwright breaking${folder === "." ? "" : ` ${folder}`} -->"`,
        compared(
          gitlabComment(toolwright),
          breakingFile(toolwright, "sarif", SARIF_FILE),
          breakingScript(toolwright, "text"),
        ),
      ],
      artifacts: { when: "always", paths: [path(REPORT_FILE), path(SARIF_FILE)] },
    },
    [name("snapshot")]: {
      ...common,
      rules: [{ if: NIGHT, exists: [path("definitions/servers/*.json")] }],
      script: [snapshotScript(toolwright), branch("snapshot"), gitlabProposal(PROPOSALS.snapshot)],
    },
    [name("learn")]: {
      ...common,
      rules: [{ if: `${NIGHT} && $TOOLWRIGHT_STATE` }],
      script: [learnScript(toolwright), branch("learned"), gitlabProposal(PROPOSALS.learn)],
    },
  };
}
