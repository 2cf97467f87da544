/** Frames on the pipe to a child process: a length of 4 bytes, then that many bytes. */

/** Bytes of the length in front of a frame. */
export const HEAD_BYTES = 4;

/** The length of a frame, as the bytes in front of it. */
export function headOf(size: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(size);
  return head;
}

/** What a reader of frames calls. */
export interface FrameListener {
  frame(body: Buffer): void;
  /** Longest frame in bytes that is allowed now; absent: any length. */
  longest?(): number;
  /** A frame is longer: no further frames are read. */
  tooLong?(): void;
}

/**
 * Reads frames from parts of a stream, which are kept until their frames are complete.
 *
 * @example
 * pipe.on("data", frameReader({ frame: take, longest: () => 1000, tooLong: () => pipe.destroy() }));
 */
export function frameReader(listener: FrameListener): (part: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let size: number | undefined;
  let isOver = false;
  const cut = (length: number): Buffer => {
    const all = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, held);
    held = all.length - length;
    parts = held === 0 ? [] : [all.subarray(length)];
    return held === 0 ? all : all.subarray(0, length);
  };
  const next = (): boolean => {
    if (size === undefined) {
      if (held < HEAD_BYTES) return false;
      size = cut(HEAD_BYTES).readUInt32BE(0);
    }
    isOver = size > (listener.longest?.() ?? Number.POSITIVE_INFINITY);
    if (isOver) listener.tooLong?.();
    if (isOver || held < size) return false;
    const body = cut(size);
    size = undefined;
    listener.frame(body);
    return true;
  };
  return (part) => {
    if (isOver) return;
    parts.push(part);
    held += part.length;
    while (next());
  };
}
