// A source whose bytes lie in a file of ours: rows of a database, an entry of an archive.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { SourceHandle } from "./source-handle.ts";

type Spooled = Pick<SourceHandle, "path" | "mtimeMs" | "dev" | "ino"> & {
  readonly file: string;
  onClose?(): void;
};

export function spooledHandle({ file, onClose, ...named }: Spooled): SourceHandle {
  const fd = openSync(file, "r");
  let isOpen = true;
  return {
    ...named,
    fd,
    size: statSync(file).size,
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
      onClose?.();
    },
  };
}
