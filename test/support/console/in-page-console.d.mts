/** Types of `in-page-console.mjs`, whose functions run inside the page of the console. */

export function tellRefused(): void;
export function addScript(): void;
export function lookAgain(): void;
export function hasAxe(): boolean;
export function axeFaults(): Promise<readonly string[]>;
export function overflow(): number;
export function selectedCode(): string;
export function keptByBrowser(): string;
export function ask(request: readonly [path: string, body: object]): Promise<{ readonly ok: boolean }>;
export function focused(): string | null | undefined;
export function hit(): unknown;
