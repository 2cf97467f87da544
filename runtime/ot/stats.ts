/** `ot.stats`: what was measured, over a period and for all ops or one, and its report. */

import { allowed } from "../access/grant.js";
import { fail, type Principal } from "../contract/handler.js";
import type { HostContext, Statistics } from "../shipped.js";
import { PERIODS, type Period, type Stats, type StatsQuery } from "../stats/figures.js";
import { errorText } from "./info.js";

/** What is asked: `output` is the path of a report, empty for none. */
interface StatisticsArgs {
  readonly period: string;
  readonly tool: string;
  readonly output: string;
}

/** The figures, with the path of their report where one was asked for. */
type Told = Stats & { readonly html_report?: string };

/**
 * The figures, or why there are none.
 *
 * @throws ToolFailure PERMISSION_DENIED where a report is asked for by a caller who may only read
 */
export async function statistics({ period, tool, output }: StatisticsArgs, ctx: HostContext): Promise<Told | string> {
  const { host, principal } = ctx;
  const { statistics: recorded } = host;
  if (output !== "" && !allowed({ access: "write", target: "global" }, principal.grant)) denyReport(principal);
  if (!recorded) return "Error: Statistics are disabled. Set stats.enabled: true in toolwright.yaml.";
  if (!isPeriod(period))
    return errorText(
      ctx,
      "VALIDATION_ERROR",
      `Invalid period '${period.slice(0, 40)}'. Valid: ${Object.keys(PERIODS).join(", ")}. Example: ot.stats(period='day')`,
    );
  const query = { period, op: tool, now: host.now().getTime() };
  const own = isOwner(principal) ? query : { ...query, caller: principal.id };
  if (output === "") return recorded.read(own);
  const report = await withReport(ctx, output, recorded, query);
  // The file stays on this machine; what the caller is told is its own.
  return typeof report === "string" || isOwner(principal) ? report : { ...report, ...(await recorded.read(own)) };
}

/** Who is told what everybody did: the owner of the machine, and an admin key. */
export const isOwner = ({ kind, grant }: Principal): boolean => kind === "local" || grant.level === "admin";

/** Whether a period has this name. */
export const isPeriod = (name: string): name is Period => Object.hasOwn(PERIODS, name);

const denyReport = ({ grant }: Principal): never =>
  fail(
    "PERMISSION_DENIED",
    "A report is written only for a caller of level write over all projects. Leave `output` out.",
    {
      granted: grant.level,
      required: "write",
    },
  );

/** Characters of a path that an error repeats. */
const ECHO = 200;

/** The figures that the report shows too: both are of one moment. */
async function withReport(
  ctx: HostContext,
  output: string,
  recorded: Statistics,
  query: StatsQuery,
): Promise<Told | string> {
  const [{ reportPath, writeReport }, { cannotWrite }, { MARK, MARK_WITHIN, reportPage }] = await Promise.all([
    import("./report-file.js"),
    import("./written-file.js"),
    import("../stats/report/page.js"),
  ]);
  const figures = await recorded.figures(query);
  const page = reportPage(figures);
  try {
    await writeReport(await reportPath(ctx.host.project.root, output, { text: MARK, within: MARK_WITHIN }), page);
    return { ...figures.stats, html_report: output };
  } catch (error) {
    return cannotWrite(ctx, output.slice(0, ECHO), error);
  }
}
