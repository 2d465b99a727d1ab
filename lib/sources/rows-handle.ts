// The rows of one session as a source: lines in a file of ours, under the name of the session in its database.
import { closeSync, openSync, readSync, rmSync, statSync } from "node:fs";
import type { SourceHandle } from "./source-handle.ts";

export function rowsHandle(
  path: string,
  file: string,
  { stamp, changedMs }: { readonly stamp: string; readonly changedMs: number },
): SourceHandle {
  const fd = openSync(file, "r");
  let isOpen = true;
  return {
    path,
    fd,
    size: statSync(file).size,
    mtimeMs: changedMs,
    dev: "rows",
    ino: stamp,
    isRows: true,
    async read(start, length, into) {
      const bytes = into ?? Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const count = readSync(fd, bytes, filled, length - filled, start + filled);
        if (count === 0) break;
        filled += count;
      }
      return filled === bytes.length ? bytes : bytes.subarray(0, filled);
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(fd);
      rmSync(file, { force: true });
    },
  };
}
