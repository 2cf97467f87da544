import type { Context } from "toolwright/codegen";

export const pack = { summary: "Orders, answered in every form that a result can have." };

interface Order {
  id: string;
  state: "open" | "closed";
}

/**
 * Lists orders.
 *
 * @kind read
 */
export async function list_orders({ state = "open" }: { state?: "open" | "closed" }): Promise<{ items: Order[] }> {
  return { items: [{ id: "A-17", state }] };
}

/**
 * Gives the titles of the orders.
 *
 * @kind read
 */
export async function titles(): Promise<string[]> {
  return ["one", "two"];
}

/**
 * Gives the name of the shop.
 *
 * @kind read
 */
export async function shop_name(): Promise<string> {
  return "Corner shop";
}

/**
 * Gives a number, or nothing.
 *
 * @kind read
 */
export async function rating({ known = true }: { known?: boolean }): Promise<number | null> {
  return known ? 4.5 : null;
}

/**
 * Gives a value without a declared type.
 *
 * @kind read
 */
export async function anything({ list = false }: { list?: boolean }): Promise<unknown> {
  return list ? [1, 2] : { some: "thing" };
}

/**
 * Gives something else than it says.
 *
 * @kind read
 */
export async function wrong(): Promise<{ n: number }> {
  return { n: "many" } as unknown as { n: number };
}

/**
 * Searches orders.
 *
 * @kind read
 */
export async function search({ query }: { query: string }): Promise<string> {
  return `orders: ${query}`;
}

/**
 * Removes an order.
 *
 * @kind write
 */
export async function remove({ id }: { id: string }): Promise<{ removed: string }> {
  return { removed: id };
}

/**
 * Called by those who know of it.
 *
 * @kind read
 */
export async function unlisted(): Promise<string> {
  return "here";
}

/**
 * For those who administer.
 *
 * @kind read
 * @access admin
 */
export async function ledger(): Promise<string> {
  return "hidden";
}

/**
 * Waits, reports and can be stopped.
 *
 * @kind read
 */
export async function wait({ ms = 0 }: { ms?: number }, ctx: Context): Promise<string> {
  ctx.warn("slow_shop: the shop is slow today");
  ctx.log.debug("is for the operator");
  ctx.log.info("asks the shop with Bearer abcdefghijklmnop", { internal: "shelf 7" });
  for (let done = 0; done < ms && !ctx.signal.aborted; done += 10) {
    ctx.progress(done, ms);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return ctx.signal.aborted ? "stopped" : "waited";
}

/**
 * Breaks.
 *
 * @kind read
 */
export async function broken(): Promise<string> {
  throw new Error("cannot read /etc/secret");
}
