/** The projects that the programs of `test/runtime/run/programs` read: written through `tool_exec`, the same in every root. */

import type { Json, Served } from "../project.js";

type Row = readonly [
  project: string,
  title: string,
  state: string,
  priority: number,
  due: string,
  owner: string,
  hours: number,
  tags: string,
];

/** Tasks, oldest first. Owner, hours and tags are properties of their own, as people add them. */
const TASKS: readonly Row[] = [
  ["Atlas", "Call the supplier", "todo", 1, "2027-01-15", "anna", 1.5, "call,external"],
  ["Atlas", "Write the API spec", "in_progress", 2, "2027-01-20", "boris", 12, "docs,api"],
  ["Atlas", "Review the contract", "blocked", 1, "2026-12-01", "anna", 4.25, "legal,external"],
  ["Atlas", "Set up the staging cluster", "done", 2, "2026-11-02", "chen", 16, "ops"],
  ["Atlas", "Fix login on Safari", "todo", 1, "2026-12-10", "dilara", 3, "bug,web"],
  ["Atlas", "Fix export of umlauts (Größe, Öl)", "todo", 3, "2027-02-28", "dilara", 2.75, "bug,i18n"],
  ["Atlas", "Measure cold starts", "done", 4, "2026-10-31", "chen", 6, "ops,perf"],
  ["Atlas", "Plan the beta", "in_progress", 2, "2027-01-04", "anna", 8, "planning"],
  ["Atlas", "Migrate the database", "todo", 2, "2027-03-01", "chen", 40, "ops,db"],
  ["Atlas", "Draft the price list", "todo", 5, "", "emeka", 2, "sales"],
  ["Atlas", "Translate the help pages", "todo", 4, "", "farah", 20.5, "docs,i18n"],
  ["Atlas", "Answer ticket #1042", "done", 3, "2026-11-20", "dilara", 0.5, "support"],
  ["Atlas", "Answer ticket #1077", "todo", 3, "2026-11-25", "dilara", 0.25, "support"],
  ["Atlas", "Remove the old API", "blocked", 4, "2027-06-30", "boris", 9, "api"],
  ["Atlas", "Write release notes", "todo", 3, "2027-02-01", "boris", 1, "docs"],
  ["Atlas", "Check backups", "done", 1, "2026-11-29", "chen", 1.25, "ops"],
  ["Atlas", "Renew certificates", "todo", 1, "2026-12-31", "chen", 0.75, "ops,security"],
  ["Atlas", "Pen test of the gateway", "todo", 2, "2027-01-31", "emeka", 24, "security,external"],
  ["Borealis", "Book a room", "done", 3, "2026-12-05", "farah", 0.5, "event"],
  ["Borealis", "Invite the press", "todo", 2, "2027-02-10", "anna", 3, "event,external"],
  ["Borealis", "Order badges", "todo", 4, "2027-02-15", "farah", 1, "event"],
  ["Borealis", "Record the demo", "in_progress", 1, "2027-02-20", "emeka", 10, "video"],
  ["Borealis", "Write the keynote", "blocked", 1, "2027-02-12", "goran", 18, "docs,event"],
  ["Borealis", "Rehearse", "todo", 2, "2027-02-24", "goran", 6, "event"],
  ["Borealis", "Call the caterer", "todo", 3, "", "farah", 0.25, "call,event"],
];

const PROJECTS = [
  ["Atlas", "project.technical.platform", "active"],
  ["Borealis", "project.business.launch", "active"],
  ["Cassini", "project.education.study", "planning"],
] as const;

const GOALS = [
  ["Atlas", "Serve 1,000 customers", "active", "2027-06-30"],
  ["Atlas", "Halve the cost of a call", "draft", "2027-12-31"],
  ["Borealis", "Forty articles in the press", "active", "2027-03-15"],
] as const;

const PLANS = [
  ["Atlas", "First phase", "active", "Beta with ten customers.\n\n1. Build\n2. Test\n3. Ship"],
  ["Atlas", "Second phase", "draft", "Open to all."],
] as const;

const DOCUMENTS = [
  ["Atlas", "Engineering", "published", "# Engineering\n\nFolder for everything that engineers need.", ""],
  ["Atlas", "API Spec", "draft", "# API Spec\n\nGET /tasks\nPOST /tasks\nDELETE /tasks/{id}\n", "Engineering"],
  ["Atlas", "Runbook", "ready", "# Runbook\n\n- restart: 5 min\n- restore: 45 min\n- failover: 90 s\n", "Engineering"],
  ["Atlas", "Errors", "in_review", "# Errors\n\n404: 17\n500: 3\n429: 120\n", "API Spec"],
  ["Borealis", "Guest list", "draft", 'name,city,seats\nÅsa,Malmö,2\nBen,"New York, NY",1\nChloé,Lyon,3\n', ""],
  [
    "Cassini",
    "Readings",
    "ready",
    '{"unit": "km/s", "values": [15.2, 15.9, 14.75, null, 16.1, 15.2], "at": "2027-01-01T00:00:00Z"}',
    "",
  ],
] as const;

/** What only `onto.project.create` makes. Its entities have one time of change, so programs sort them. */
const WITHIN: Readonly<Record<string, readonly object[]>> = {
  Atlas: [
    { temp_id: "m1", kind: "milestone", title: "Beta", due_at: "2027-01-31" },
    { temp_id: "r1", kind: "requirement", text: "Works offline for an hour" },
    { temp_id: "k1", kind: "risk", title: "Late supplier", impact: "high", probability: 0.4 },
    { temp_id: "k2", kind: "risk", title: "Data loss", impact: "critical", probability: 0.05 },
    { temp_id: "k3", kind: "risk", title: "Scope creep", impact: "medium", probability: 0.7 },
  ],
  Borealis: [
    { temp_id: "m2", kind: "milestone", title: "Doors open", due_at: "2027-02-25" },
    { temp_id: "k4", kind: "risk", title: "Rain", impact: "low", probability: 0.5 },
  ],
  Cassini: [],
};

/** Writes the projects; gives the ids that programs name: of projects, and of what has a title. */
export async function seedWorld(server: Pick<Served, "call">): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const exec = async (op: string, args: object): Promise<Json> => {
    const { value } = await server.call("tool_exec", { op, args });
    if (!value.ok) throw new Error(`${op}: ${JSON.stringify(value.error)}`);
    return value.result;
  };
  const made = async (kind: string, title: string, args: object): Promise<void> => {
    const result = await exec(`onto.${kind}.create`, args);
    ids.set(title, result[kind].id);
  };
  for (const [name, type_key, state_key] of PROJECTS)
    await made("project", name, {
      project: { name, type_key, state_key },
      entities: WITHIN[name],
      relationships: [],
    });
  const project_id = (name: string): string | undefined => ids.get(name);
  for (const [name, title, state_key, target_date] of GOALS)
    await made("goal", title, { project_id: project_id(name), name: title, state_key, target_date });
  for (const [name, title, state_key, plan] of PLANS)
    await made("plan", title, { project_id: project_id(name), name: title, state_key, plan });
  for (const [name, title, state_key, content, parent] of DOCUMENTS)
    await made("document", title, {
      ...{ project_id: project_id(name), title, description: `About ${title.toLowerCase()}.`, state_key, content },
      ...(parent === "" ? {} : { parent_id: ids.get(parent) }),
    });
  for (const [name, title, state_key, priority, due_at, owner, hours, tags] of TASKS)
    await made("task", title, {
      ...{ project_id: project_id(name), title, state_key, priority, ...(due_at === "" ? {} : { due_at }) },
      props: { owner, hours, tags: tags.split(",") },
      ...(owner === "chen" ? { goal_id: ids.get("Serve 1,000 customers") } : {}),
    });
  await exec("onto.edge.link", {
    ...{
      src_kind: "task",
      src_id: ids.get("Plan the beta"),
      dst_kind: "task",
      dst_id: ids.get("Migrate the database"),
    },
    rel: "depends_on",
  });
  return ids;
}
