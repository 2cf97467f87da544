/** Reads the baseline that `--against` names: from a git commit or from a file. */

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { git } from "../../generator/core/git.js";
import {
  type ComparedRegistry,
  checkedRegistry,
  HELP_INDEX,
  REGISTRY_FILE,
  readTextIfThere,
} from "../../generator/core/registry-file.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

const GIT = "git:";

/**
 * Reads the baseline that `--against` names.
 *
 * @param mergeBase whether the merge base of HEAD and the given commit is read; undefined: in CI, where the baseline is a commit
 * @throws UsageError with the reason
 */
export async function readBaseline(against: string, root: string, mergeBase?: boolean): Promise<ComparedRegistry> {
  if (against.startsWith(GIT)) return readCommit(against, root, mergeBase ?? isInCi());
  if (mergeBase) throw new UsageError(`--merge-base: --against ${against} is no commit; name git:REF`);
  return readFrom(against);
}

/** Whether this is a run in CI: every CI system sets the variable. */
const isInCi = (): boolean => !["", "0", "false"].includes(process.env["CI"] ?? "");

/** Day of the commit that is checked out, or undefined without a commit. */
export async function headDay(root: string): Promise<string | undefined> {
  const day = await git(root, ["log", "-1", "--no-show-signature", "--format=%cs"]);
  return day?.trim() || undefined;
}

function readFrom(path: string): ComparedRegistry {
  const candidates = isFolder(path) ? [join(path, "generated"), path] : [];
  const folder = candidates.find((one) => readTextIfThere(join(one, REGISTRY_FILE)) !== undefined);
  if (folder) {
    const text = readTextIfThere(join(folder, REGISTRY_FILE)) ?? "";
    return checkedRegistry(path, text, readTextIfThere(join(folder, HELP_INDEX)));
  }
  if (isFolder(path))
    throw new UsageError(`--against ${path}: neither it nor its folder generated/ holds a ${REGISTRY_FILE}`);
  const text = readTextIfThere(path);
  if (text === undefined)
    throw new UsageError(`--against ${path}: there is no such file; name a ${REGISTRY_FILE}, its folder, or git:REF`);
  return checkedRegistry(path, text, readTextIfThere(resolve(path, "..", HELP_INDEX)));
}

async function readCommit(against: string, root: string, mergeBase: boolean): Promise<ComparedRegistry> {
  const ref = against.slice(GIT.length);
  if (ref === "" || ref.startsWith("-") || /\s/.test(ref))
    throw new UsageError(`--against ${against}: ${JSON.stringify(ref)} is no git ref; for example git:main`);
  const named = (await git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]))?.trim();
  if (!named) return refuseRef(against, ref, root);
  const commit = mergeBase ? await mergeBaseOf(against, named, root) : named;
  const from = commit === named ? against : `${against} (merge base ${commit.slice(0, SHOWN_DIGITS)})`;
  const show = (file: string) => git(root, ["cat-file", "blob", `${commit}:./generated/${file}`]);
  const [text, index, day] = await Promise.all([
    show(REGISTRY_FILE),
    show(HELP_INDEX),
    git(root, ["log", "-1", "--no-show-signature", "--format=%cs", commit]),
  ]);
  if (text === undefined)
    throw new UsageError(
      `--against ${against}: generated/${REGISTRY_FILE} was not there at ${commit === named ? ref : `the merge base ${commit}`}; name a later commit, in which it is committed`,
    );
  return { ...checkedRegistry(from, text, index), ...(day ? { day: day.trim() } : {}) };
}

/** Digits of a commit that are shown. */
const SHOWN_DIGITS = 12;
const WHOLE_HISTORY =
  "this is a shallow clone: fetch the whole history (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0; elsewhere: git fetch --unshallow)";

const isShallow = async (root: string): Promise<boolean> =>
  (await git(root, ["rev-parse", "--is-shallow-repository"]))?.trim() === "true";

/** The merge base of HEAD and another commit. @throws UsageError if this clone has none */
async function mergeBaseOf(against: string, commit: string, root: string): Promise<string> {
  const base = (await git(root, ["merge-base", "HEAD", commit]))?.trim();
  if (base) return base;
  const why = (await isShallow(root)) ? WHOLE_HISTORY : "compare with that commit itself: --no-merge-base";
  throw new UsageError(`--against ${against}: HEAD has no commit in common with it; ${why}`);
}

async function refuseRef(against: string, ref: string, root: string): Promise<never> {
  const said = `--against ${against}:`;
  if ((await git(root, ["--version"])) === undefined)
    throw new UsageError(`${said} git is not installed: install it, or name a ${REGISTRY_FILE}`);
  const inside = await git(root, ["rev-parse", "--is-inside-work-tree"]);
  if (inside?.trim() !== "true")
    throw new UsageError(`${said} ${root} is in no git repository; name a ${REGISTRY_FILE} instead`);
  const branch = ref.replace(/^origin\//, "");
  const hint = (await isShallow(root)) ? WHOLE_HISTORY : `fetch it first: git fetch origin ${branch}`;
  throw new UsageError(`${said} this repository has no commit ${ref}; ${hint}`);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
