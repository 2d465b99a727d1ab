// The memory that a thread and the one that asks it share: what to write, and how it went. A message in each direction took
// both 23 µs of a processor a blob, this takes 10.
import type { WholeBlob } from "./write-whole.ts";

export type DiskWish = WholeBlob;

/** Places in the control words: how many blobs were asked for and answered; bytes of the header or the answer, of the blob. */
export const ASKED = 0;
export const ANSWERED = 1;
export const HEADER = 2;
export const BYTES = 3;

/** In place of the number of bytes: the blob is too large for the room, and comes as a message. */
export const BY_MESSAGE = -1;

const CONTROL_BYTES = 16;
/** Two paths and 64 KB, what a put holds in memory. */
const ROOM_BYTES = 16 * 1024 + 64 * 1024;

export const newRoom = (): SharedArrayBuffer => new SharedArrayBuffer(CONTROL_BYTES + ROOM_BYTES);

export const roomOf = (memory: SharedArrayBuffer): { readonly control: Int32Array; readonly room: Buffer } => ({
  control: new Int32Array(memory, 0, CONTROL_BYTES / 4),
  room: Buffer.from(memory, CONTROL_BYTES),
});
