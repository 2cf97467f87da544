/** `ot.stats`: shows statistics of a period for all ops or one, and writes a report. */

import { mayAdminister } from "../../access/principal.js";
import { allowed } from "../../contract/grant.js";
import { fail, type Principal } from "../../contract/handler.js";
import { isPeriod, PERIODS, type Stats, type StatsQuery } from "../../contract/statistics.js";
import type { HostContext, Statistics } from "../host.js";
import { errorText } from "./info.js";

/** Arguments; `output` is the path of a report, empty for none. */
interface StatisticsArgs {
  readonly period: string;
  readonly tool: string;
  readonly output: string;
}

/** The figures, with the path of the requested report. */
type Told = Stats & { readonly html_report?: string };

/**
 * The figures, or an error text.
 *
 * @throws ToolFailure PERMISSION_DENIED if a read-only caller requests a report
 */
export async function statistics({ period, tool, output }: StatisticsArgs, ctx: HostContext): Promise<Told | string> {
  const { host, principal } = ctx;
  const { statistics: recorded } = host;
  if (output !== "" && !allowed({ op: "ot.stats", access: "write", target: "global" }, principal.grant))
    denyReport(principal);
  if (!recorded)
    return errorText(ctx, "UNAVAILABLE", "Statistics are disabled. Set stats.enabled: true in toolwright.yaml.");
  if (!isPeriod(period))
    return errorText(
      ctx,
      "VALIDATION_ERROR",
      `Invalid period '${period.slice(0, 40)}'. Valid: ${Object.keys(PERIODS).join(", ")}. Example: ot.stats(period='day')`,
    );
  const query = { period, op: tool, now: host.now().getTime() };
  const own = mayAdminister(principal) ? query : { ...query, caller: principal.id };
  if (output === "") return recorded.read(own);
  const report = await withReport(ctx, output, recorded, query);
  // The report stays on this machine; the answer is limited to the caller's own figures.
  return typeof report === "string" || mayAdminister(principal) ? report : { ...report, ...(await recorded.read(own)) };
}

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
const MAX_ECHO_LENGTH = 200;

/** The figures with their report, both of the same moment. */
async function withReport(
  ctx: HostContext,
  output: string,
  recorded: Statistics,
  query: StatsQuery,
): Promise<Told | string> {
  const [{ reportPath, writeReport }, { cannotWrite }] = await Promise.all([
    import("./report-file.js"),
    import("./written-file.js"),
  ]);
  const { stats, page, mark } = await recorded.report(query);
  try {
    await writeReport(await reportPath(ctx.host.project.root, output, mark), page);
    return { ...stats, html_report: output };
  } catch (error) {
    return cannotWrite(ctx, output.slice(0, MAX_ECHO_LENGTH), error);
  }
}
