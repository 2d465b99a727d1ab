// Between the thread that runs jq and who asked: a ring of shared memory for the output, with what is counted of it and
// what was said on the side. Shared, because a thread that is ended at its deadline says nothing more, and what it had
// written is still wanted. The thread waits when the ring is full, so a reader that stalls fills no memory.

const RING_BYTES = 256 * 1024;
/** The reader is woken for so much; what is less it finds when it looks by itself. */
const WAKE_BYTES = 64 * 1024;
const MESSAGE_BYTES = 4096;

/** Words of the head: bytes written and taken (both modulo 2^32), bytes of messages. */
const [WRITTEN, TAKEN, SAID] = [0, 1, 2] as const;
const HEAD_BYTES = 16;
/** Behind it as doubles, which count exactly beyond 2^32: all bytes, bytes that are shown, values. */
const [ALL, SHOWN, VALUES] = [0, 1, 2] as const;
const COUNTS_BYTES = 24;

type Views = {
  readonly head: Int32Array;
  readonly counts: Float64Array;
  readonly messages: Uint8Array;
  readonly ring: Uint8Array;
};

export const createPipe = (): SharedArrayBuffer =>
  new SharedArrayBuffer(HEAD_BYTES + COUNTS_BYTES + MESSAGE_BYTES + RING_BYTES);

function viewsOf(pipe: SharedArrayBuffer): Views {
  const messagesAt = HEAD_BYTES + COUNTS_BYTES;
  return {
    head: new Int32Array(pipe, 0, HEAD_BYTES / 4),
    counts: new Float64Array(pipe, HEAD_BYTES, COUNTS_BYTES / 8),
    messages: new Uint8Array(pipe, messagesAt, MESSAGE_BYTES),
    ring: new Uint8Array(pipe, messagesAt + MESSAGE_BYTES, RING_BYTES),
  };
}

/** The thread's end. */
export type PipeWriter = {
  write(piece: Uint8Array): void;
  /** So many values are written. */
  count(values: number): void;
  say(piece: Uint8Array): void;
  /** Forgets what was said; nothing was written yet. */
  clear(): void;
  readonly messages: string;
};

/** `wake` tells the reader to look; of the output only the first `mostBytes` go through. */
export function pipeWriter(pipe: SharedArrayBuffer, mostBytes: number, wake: () => void): PipeWriter {
  const { head, counts, messages, ring } = viewsOf(pipe);
  let unheard = 0;
  const room = (written: number): number => RING_BYTES - ((written - Atomics.load(head, TAKEN)) >>> 0);

  function put(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      const written = Atomics.load(head, WRITTEN);
      const free = room(written);
      if (free === 0) {
        unheard = 0;
        wake();
        Atomics.wait(head, TAKEN, (written - RING_BYTES) | 0);
        continue;
      }
      const from = (written >>> 0) % RING_BYTES;
      const length = Math.min(free, piece.length - at, RING_BYTES - from);
      ring.set(piece.subarray(at, at + length), from);
      Atomics.store(head, WRITTEN, (written + length) | 0);
      at += length;
      unheard += length;
    }
    if (unheard < WAKE_BYTES) return;
    unheard = 0;
    wake();
  }

  return {
    write(piece) {
      const left = mostBytes - counts[SHOWN]!;
      counts[ALL]! += piece.length;
      if (left <= 0) return;
      const shown = piece.length > left ? piece.subarray(0, left) : piece;
      counts[SHOWN]! += shown.length;
      put(shown);
    },
    count(values) {
      counts[VALUES]! += values;
    },
    say(piece) {
      const said = Atomics.load(head, SAID);
      const part = piece.subarray(0, MESSAGE_BYTES - said);
      messages.set(part, said);
      Atomics.store(head, SAID, said + part.length);
    },
    clear() {
      Atomics.store(head, SAID, 0);
    },
    get messages() {
      return saidIn(head, messages);
    },
  };
}

/** The other end. */
export type PipeReader = {
  /** What is there, as far as it lies in one piece; null when nothing is. It makes room only with `taken`. */
  next(): Buffer | null;
  taken(bytes: number): void;
  readonly outputBytes: number;
  /** More was written than goes through. */
  readonly isCut: boolean;
  readonly values: number;
  readonly messages: string;
};

export function pipeReader(pipe: SharedArrayBuffer): PipeReader {
  const { head, counts, messages, ring } = viewsOf(pipe);
  return {
    next() {
      const taken = Atomics.load(head, TAKEN);
      const length = (Atomics.load(head, WRITTEN) - taken) >>> 0;
      if (length === 0) return null;
      const from = (taken >>> 0) % RING_BYTES;
      // Copied: what is shared cannot be decoded, and the thread writes on.
      return Buffer.from(ring.subarray(from, Math.min(from + length, RING_BYTES)));
    },
    taken(bytes) {
      Atomics.add(head, TAKEN, bytes);
      Atomics.notify(head, TAKEN);
    },
    get outputBytes() {
      return counts[ALL]!;
    },
    get isCut() {
      return counts[ALL]! > counts[SHOWN]!;
    },
    get values() {
      return counts[VALUES]!;
    },
    get messages() {
      return saidIn(head, messages);
    },
  };
}

const saidIn = (head: Int32Array, messages: Uint8Array): string =>
  Buffer.from(messages.subarray(0, Atomics.load(head, SAID))).toString("utf8");
