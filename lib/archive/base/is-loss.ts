/** Failures of a sync, not of a write that the disk had no room for. */
const LOST = /^(EIO|SQLITE_IOERR_FSYNC|SQLITE_IOERR_DIR_FSYNC|SQLITE_IOERR_WRITE|SQLITE_CORRUPT\w*)$/;

/** Whether a disk failed to keep what it was given. */
export const isLoss = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && LOST.test(code);
};
