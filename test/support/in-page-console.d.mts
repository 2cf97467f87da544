export function tellRefused(): void;
export function addScript(): void;
export function axeFaults(): Promise<readonly string[]>;
export function overflow(): number;
export function selectedCode(): string;
export function keptByBrowser(): string;
export function ask(request: readonly [path: string, body: object]): Promise<{ readonly ok: boolean }>;
export function focused(): string | null | undefined;
export function hit(): unknown;
