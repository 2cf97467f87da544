/**
 * The address of the client whose request is being answered. It follows the request through everything that it awaits,
 * so that the audit can name it.
 */

import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string>();

/** Runs the work of a request of a client. */
export const ofClientAt = <T>(address: string, work: () => T): T => current.run(address, work);

/** The address of the client; empty outside a request over HTTP. */
export const clientAddress = (): string => current.getStore() ?? "";
