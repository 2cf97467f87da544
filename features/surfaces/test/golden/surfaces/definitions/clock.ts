export const pack = { summary: "The time." };

/** A moment. */
interface Moment {
  /** ISO 8601. */
  at: string;
  zone?: string;
}

/**
 * Tells the time.
 *
 * @kind read
 */
export async function get({ zone = "UTC" }: { zone?: string }): Promise<Moment> {
  return { at: "", zone };
}
