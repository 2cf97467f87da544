/** Thirty questions over large results: the SQL of each, and its answer as a program computes it from the rows. */

import { randomOf } from "../support/random.js";

/** An issue of a tracker. */
export interface Issue {
  readonly id: number;
  readonly title: string;
  readonly state: string;
  readonly priority: string;
  readonly points: number;
  readonly team: { readonly id: number; readonly name: string };
  readonly assignee: number | null;
  readonly created: string;
  readonly labels: readonly string[];
}

/** Somebody who works on issues. */
export interface Person {
  readonly id: number;
  readonly name: string;
  readonly office: string;
}

type Row = readonly (string | number)[];

/** A question. */
export interface LargeQuestion {
  readonly sql: string;
  /** Finds the lines of issues that a reader of pages needs; absent: all of them. */
  readonly search?: string;
  /** Whether the people are needed, too. */
  readonly joins?: true;
  of(issues: readonly Issue[], people: readonly Person[]): readonly Row[];
}

const STATES = ["open", "blocked", "review", "done"];
const PRIORITIES = ["low", "normal", "high", "urgent"];
const TEAMS = ["Billing", "Search", "Mobile", "Platform", "Data", "Support"];
const LABELS = ["bug", "docs", "ui", "api", "slow", "security"];
const SUBJECTS = ["invoice", "refund", "login", "export", "search box", "report", "webhook", "calendar"];
const OFFICES = ["Bern", "Oslo", "Lima"];

/** The rows; always the same. */
export function largeRows(count: number): { readonly issues: readonly Issue[]; readonly people: readonly Person[] } {
  const random = randomOf(20261126);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() ** 1.5 * list.length)] as T;
  const issues = Array.from({ length: count }, (_, at) => {
    const team = Math.floor(random() * TEAMS.length);
    return {
      id: at + 1,
      title: `The ${one(SUBJECTS)} ${one(["fails", "is slow", "shows nothing", "needs a test"])} for customer ${Math.floor(random() * 400)}`,
      state: one(STATES),
      priority: one(PRIORITIES),
      points: Math.floor(random() * 13) + 1,
      team: { id: team, name: TEAMS[team] as string },
      assignee: random() < 0.1 ? null : Math.floor(random() * 60),
      created: `2026-${String(1 + Math.floor(random() * 9)).padStart(2, "0")}-${String(1 + Math.floor(random() * 28)).padStart(2, "0")}`,
      labels: LABELS.filter(() => random() < 0.2),
    };
  });
  const people = Array.from({ length: 60 }, (_, id) => ({
    id,
    name: `Person ${id}`,
    office: OFFICES[id % 3] as string,
  }));
  return { issues, people };
}

type Keys = (issue: Issue) => readonly string[];

/** Groups in the order of their keys, with one figure each. */
function grouped(rows: readonly Issue[], keysOf: Keys, figure: (rows: readonly Issue[]) => number): readonly Row[] {
  const groups = new Map<string, Issue[]>();
  for (const row of rows) for (const key of keysOf(row)) groups.set(key, [...(groups.get(key) ?? []), row]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, group]) => [key, figure(group)]);
}

const size = (rows: readonly unknown[]): number => rows.length;
const points = (rows: readonly Issue[]): number => rows.reduce((sum, row) => sum + row.points, 0);
const state: Keys = (row) => [row.state];
const priority: Keys = (row) => [row.priority];
const team: Keys = (row) => [row.team.name];
const month: Keys = (row) => [row.created.slice(0, 7)];
const labels: Keys = (row) => row.labels;
const assignee: Keys = (row) => (row.assignee === null ? [] : [String(row.assignee).padStart(2, "0")]);
const office = (people: readonly Person[]): Keys => {
  const offices = new Map(people.map((one) => [one.id, one.office]));
  return (row) => (row.assignee === null ? [] : [offices.get(row.assignee) ?? ""]);
};

/** Sum or number of the rows that a condition holds for, as the only row of an answer. */
const only = (
  sql: string,
  holds: (row: Issue) => boolean,
  search?: string,
  figure: (rows: readonly Issue[]) => number = size,
): LargeQuestion => ({
  sql,
  ...(search === undefined ? {} : { search }),
  of: (rows) => [[figure(rows.filter(holds))]],
});
const groups = (sql: string, keys: Keys, figure: (rows: readonly Issue[]) => number = size): LargeQuestion => ({
  sql,
  of: (rows) => grouped(rows, keys, figure),
});
const joined = (sql: string, figure: (rows: readonly Issue[]) => number): LargeQuestion => ({
  ...{ sql, joins: true },
  of: (rows, people) => grouped(rows, office(people), figure),
});

const byPoints = (a: Issue, b: Issue): number => b.points - a.points || a.id - b.id;

/** The questions. */
export const LARGE_QUESTIONS: readonly LargeQuestion[] = [
  only("select count(*) from r", () => true),
  only("select count(*) from r where state = 'open'", (row) => row.state === "open", '"state":"open"'),
  only("select count(*) from r where assignee is null", (row) => row.assignee === null, '"assignee":null'),
  only("select sum(points) from r where state = 'done'", (row) => row.state === "done", '"state":"done"', points),
  only("select count(*) from r where title like '%refund%'", (row) => row.title.includes("refund"), "refund"),
  only(
    "select count(*) from r where title like '%customer 17'",
    (row) => row.title.endsWith("customer 17"),
    'customer 17"',
  ),
  only("select count(*) from r where points >= 12", (row) => row.points >= 12, '"points":1[23]'),
  only("select count(*) from r where created like '2026-03%'", (row) => row.created.startsWith("2026-03"), '"2026-03'),
  only(
    "select count(*) from r where state = 'open' and priority = 'urgent'",
    (row) => row.state === "open" && row.priority === "urgent",
    '"state":"open","priority":"urgent"',
  ),
  only(
    "select sum(points) from r where team->>'name' = 'Billing'",
    (row) => row.team.name === "Billing",
    '"name":"Billing"',
    points,
  ),
  only(
    "select count(*) from r, json_each(labels) l where l.value = 'bug'",
    (row) => row.labels.includes("bug"),
    '"bug"',
  ),
  only(
    "select count(*) from r where json_array_length(labels) = 0",
    (row) => row.labels.length === 0,
    '"labels":\\[\\]',
  ),
  {
    sql: "select title from r where id = 777",
    search: '"id":777,"title',
    of: (rows) => rows.filter(({ id }) => id === 777).map((row) => [row.title]),
  },
  {
    sql: "select state, points from r where id = 1234",
    search: '"id":1234,"title',
    of: (rows) => rows.filter(({ id }) => id === 1234).map((row) => [row.state, row.points]),
  },
  groups("select state, count(*) from r group by 1 order by 1", state),
  groups("select priority, count(*) from r group by 1 order by 1", priority),
  groups("select team->>'name', count(*) from r group by 1 order by 1", team),
  groups("select substr(created, 1, 7), count(*) from r group by 1 order by 1", month),
  groups("select l.value, count(*) from r, json_each(labels) l group by 1 order by 1", labels),
  groups("select state, sum(points) from r group by 1 order by 1", state, points),
  groups("select priority, max(points) from r group by 1 order by 1", priority, (rows) =>
    Math.max(...rows.map((row) => row.points)),
  ),
  groups("select team->>'name', sum(points) from r group by 1 order by 1", team, points),
  groups("select team->>'name', min(id) from r group by 1 order by 1", team, (rows) =>
    Math.min(...rows.map(({ id }) => id)),
  ),
  groups("select substr(created, 1, 7), sum(points) from r group by 1 order by 1", month, points),
  groups(
    "select team->>'name', count(distinct assignee) from r group by 1 order by 1",
    team,
    (rows) => new Set(rows.flatMap(assignee)).size,
  ),
  {
    sql: "select id, points from r order by points desc, id limit 5",
    of: (rows) =>
      [...rows]
        .sort(byPoints)
        .slice(0, 5)
        .map((row) => [row.id, row.points]),
  },
  {
    sql: "select assignee, count(*) from r where assignee is not null group by 1 order by 2 desc, 1 limit 3",
    of: (rows) =>
      grouped(rows, assignee, size)
        .map(([key, n]) => [Number(key), Number(n)] as const)
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, 3),
  },
  {
    sql: "select count(*) from (select 1 from r group by title having count(*) > 1)",
    of: (rows) => [[grouped(rows, (row) => [row.title], size).filter(([, n]) => Number(n) > 1).length]],
  },
  joined("select p.office, count(*) from r join p on p.id = r.assignee group by 1 order by 1", size),
  joined("select p.office, sum(r.points) from r join p on p.id = r.assignee group by 1 order by 1", points),
];
