// Buffers of blocks that are used again. A new one for each megabyte makes V8 collect its whole heap every few blocks, for
// memory that is not in it: a twentieth of an import.
import { LIMITS } from "#lib/kernel/limits.ts";

/** A reading holds two or three: the block that is read, and the one that is packed. */
const KEPT = 4;

const free: Buffer[] = [];

/** Room for a block of the usual size. Who does not give it back leaves it to the collector. */
export const takeBuffer = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(LIMITS.rawBlockBytes);

/** Nobody reads or writes it any more. */
export function giveBuffer(buffer: Buffer): void {
  if (free.length < KEPT) free.push(buffer);
}
