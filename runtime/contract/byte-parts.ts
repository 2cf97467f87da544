/** Collects bytes that come in parts. */

const EMPTY = Buffer.alloc(0);
/** Initial size of the buffer, in bytes. */
const INITIAL_BYTES = 1024;

/** A buffer that grows. */
interface ByteParts {
  size(): number;
  /** @param most - size that all parts together never exceed, in bytes */
  add(part: Uint8Array, most: number): void;
  /** The whole; what follows begins anew. */
  take(): Buffer;
}

/**
 * Collects the parts of one line or body in a buffer that doubles: a list of parts would cost a hundred times its bytes if each
 * part is one byte.
 */
export function createParts(): ByteParts {
  let held = EMPTY;
  let size = 0;
  return {
    size: () => size,
    add(part, most) {
      if (size + part.length > held.length) {
        const wider = Buffer.allocUnsafe(Math.min(most, Math.max(INITIAL_BYTES, 2 * (size + part.length))));
        held.copy(wider, 0, 0, size);
        held = wider;
      }
      held.set(part, size);
      size += part.length;
    },
    take() {
      const whole = held.subarray(0, size);
      held = EMPTY;
      size = 0;
      return whole;
    },
  };
}
