import type { Context } from "toolwright/codegen";
import { fail } from "toolwright/codegen";
import type { Page, Part, Priority, State } from "../shared/types.js";
import { stamp } from "./_clock.js";

export const pack = { summary: "Orders " + "and parts." };

interface Order {
  id: string;
  state: State;
  /** When it was placed. */
  placed: Date;
  total: number | null;
}

type Filter = { state?: State; priority?: Priority } & {
  /**
   * How many at most.
   * @default 20
   * @minimum 1
   * @maximum 100
   * @integer
   */
  limit?: number;
};

/**
 * Lists orders, newest first.
 *
 * @param args.state - only orders in this state
 * @returns the orders, a page at a time
 */
export async function listOrders(args: Filter, ctx: Context): Promise<Page<Order>> {
  ctx.log.debug("list");
  return { items: [{ id: String(args.limit), state: args.state ?? "open", placed: stamp(), total: null }] };
}

/**
 * Finds an order by its number. See {@link listOrders}.
 *
 * @param number what is printed on the invoice
 * @param strict whether the letters' case counts
 * @example { "number": "A-17" }
 */
export function findOrder(number: string, strict = false, ctx?: Context): Order {
  if (number === "") fail("NOT_FOUND", "there is no such order");
  return { id: strict ? number : number.toUpperCase(), state: "closed", placed: new Date(0), total: ctx ? 1 : 2 };
}

/**
 * Puts parts together.
 *
 * @kind write
 * @access admin
 * @op shop.stock.assemble
 * @deprecated use the workshop
 */
export const assemble = async ({ part, note = "none" }: { part: Part; note?: string }): Promise<void> => {
  if (note === part.name) throw new Error("never");
};

/**
 * Throws an order away.
 *
 * @kind write
 * @target project
 * @project_from order_id
 * @destructive
 */
export async function discardOrder(args: {
  /**
   * Which order.
   * @id order
   * @pattern ^ord_[a-z]{4}$
   */
  order_id: string;
}): Promise<void> {
  fail("NOT_FOUND", args.order_id);
}

/** Left out. */
export function _secret(): void {}

/**
 * Left out, too.
 * @internal
 */
export function alsoSecret(): void {}

export const RATE = 7;
