// A thread that writes small blobs for puts. It sleeps until it is given one, writes it, and says how that went: waiting for
// the disk here costs the thread that asked nothing; the same calls through the pool of libuv cost it six turns of its loop.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { ANSWERED, ASKED, BY_MESSAGE, BYTES, HEADER, roomOf, type DiskWish } from "./disk-room.ts";
import { writeWhole } from "./write-whole.ts";

const { control, room } = roomOf(workerData as SharedArrayBuffer);

for (let asked = 0; ; asked++) {
  Atomics.wait(control, ASKED, asked);
  control[HEADER] = answer();
  Atomics.store(control, ANSWERED, asked + 1);
  Atomics.notify(control, ANSWERED);
}

/** The length of what there is to say: nothing, when all went well. */
function answer(): number {
  try {
    const length = control[HEADER]!;
    const count = control[BYTES]!;
    if (count === BY_MESSAGE) writeWhole(receiveMessageOnPort(parentPort!)!.message as DiskWish);
    else
      writeWhole({
        ...(JSON.parse(room.toString("utf8", 0, length)) as DiskWish),
        bytes: room.subarray(length, length + count),
      });
    return 0;
  } catch (error) {
    const { code = null, message } = error as NodeJS.ErrnoException;
    return room.write(JSON.stringify({ code, message: message.slice(0, 1000) }));
  }
}
