/** A workspace to test the backend in: calls ops as dispatch does, on a database of its own. */

import { handlers, tables } from "../../../definitions/onto/handlers.js";
import type { Context, Grant } from "../../../runtime/contract/handler.js";
import { isToolFailure, type ToolFailure } from "../../../runtime/contract/handler.js";
import type { State } from "../../../runtime/state/open.js";
import type { Place, TestDatabase } from "../../runtime/state/databases.js";

/** An op of the backend. */
export type Op = keyof typeof handlers;

/** What an answer holds; tests look into it by name. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, and a wrong one fails the test.
export type Answer = any;

/** A workspace on one database. */
export interface Workspace {
  readonly place: Place;
  readonly state: State;
  /** Warnings of the last call. */
  readonly warnings: readonly string[];
  call(op: Op, args?: object, grant?: Grant): Promise<Answer>;
  plan(op: Op, args: object): Promise<Answer>;
  /** The failure that a call ends with. */
  failure(op: Op, args: object, grant?: Grant): Promise<ToolFailure>;
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const ALL: Grant = { level: "admin", projects: "*" };
const READS = new Set(["get", "list", "search"]);

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A context as dispatch makes one, without the transaction. */
export const contextOf = (grant: Grant, warn: (warning: string) => void): Omit<Context, "tx"> => ({
  principal: { kind: "local", id: "local", grant, allowWrite: true },
  signal: new AbortController().signal,
  deadline: Date.now() + 60_000,
  traceId: "tr_0000000000000000",
  secret: (name) => name,
  fetch,
  log: silent,
  progress: () => {},
  warn,
});

/** For calls that may be refused: nothing, provided that the arguments were the reason. */
export function refused(error: unknown): undefined {
  if (!isToolFailure(error) || error.code !== "VALIDATION_ERROR") throw error;
  return undefined;
}

interface Handler {
  run(args: object, ctx: Context): Promise<Answer>;
  plan?(args: object, ctx: Context): Promise<Answer>;
}

/** Opens a workspace on a fresh database. */
export async function openWorkspace(database: TestDatabase): Promise<Workspace> {
  const place = await database.place();
  let state = await place.open();
  await state.ensure(tables);
  let warnings: string[] = [];
  const work = (op: Op, step: "run" | "plan", args: object, grant: Grant): Promise<Answer> => {
    warnings = [];
    const mode = step === "plan" || READS.has(op.split(".").at(-1) ?? "") ? "read" : "write";
    const handler = handlers[op] as unknown as Handler;
    return state.transaction(mode, async (tx) =>
      handler[step]?.(args, { ...contextOf(grant, (warning) => warnings.push(warning)), tx }),
    );
  };
  return {
    place,
    get state() {
      return state;
    },
    get warnings() {
      return warnings;
    },
    call: (op, args = {}, grant = ALL) => work(op, "run", args, grant),
    plan: (op, args) => work(op, "plan", args, ALL),
    async failure(op, args, grant = ALL) {
      try {
        await work(op, "run", args, grant);
      } catch (error) {
        if (isToolFailure(error)) return error;
        throw error;
      }
      throw new Error(`${op} did not fail`);
    },
    async reopen() {
      await state.close();
      state = await place.open();
    },
    async close() {
      await state.close();
      await place.remove();
    },
  };
}

/** A project with a name, nothing in it; its id. */
export async function newProject(workspace: Workspace, name = "Apollo"): Promise<string> {
  const spec = { project: { name, type_key: "project.technical.product" }, entities: [], relationships: [] };
  return (await workspace.call("onto.project.create", spec)).project.id;
}

/** A task; its id. */
export async function newTask(
  workspace: Workspace,
  projectId: string,
  title: string,
  more: object = {},
): Promise<string> {
  return (await workspace.call("onto.task.create", { project_id: projectId, title, ...more })).task.id;
}

/** A document; its id. */
export async function newDocument(
  workspace: Workspace,
  projectId: string,
  title: string,
  more: object = {},
): Promise<string> {
  const args = { project_id: projectId, title, description: `About ${title}`, content: "", ...more };
  return (await workspace.call("onto.document.create", args)).document.id;
}
