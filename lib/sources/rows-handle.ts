// The rows of one session as a source: lines in a file of ours, under the name of the session in its database.
import { rmSync } from "node:fs";
import type { SourceHandle } from "./source-handle.ts";
import { spooledHandle } from "./spooled-handle.ts";

export const rowsHandle = (
  path: string,
  file: string,
  { stamp, changedMs }: { readonly stamp: string; readonly changedMs: number },
): SourceHandle => ({
  ...spooledHandle({
    ...{ path, file, mtimeMs: changedMs, dev: "rows", ino: stamp },
    onClose: () => rmSync(file, { force: true }),
  }),
  isRows: true,
});
