// What is said when an import stops, and whether it is worth trying again. A file that cannot be read stops nothing; what is
// told of here is that the archive could not keep what was read.
import { AppError, isAppError } from "#lib/kernel/errors.ts";
import { isLoss } from "../base/is-loss.ts";

const codeOf = (error: unknown): string | null => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && !isAppError(error) ? code : null;
};

const isFull = (code: string): boolean => code === "ENOSPC" || code === "EDQUOT" || code === "SQLITE_FULL";
const isRefused = (code: string): boolean => /^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(code);

/** True where the next moment may do: not for a full disk, a folder that may not be written, or a disk that lost something. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && !isLoss(error) && !isFull(code) && !isRefused(code) && !code.startsWith("ERR_");
}

/** The failure as a person is told it: what was found, and what to do. Others are given as they are. */
export function importFailure(error: unknown): unknown {
  const code = codeOf(error);
  if (code === null) return error;
  return new AppError("conflict", messageOf(error, code), { cause: error });
}

function messageOf(error: unknown, code: string): string {
  if (isFull(code)) return "The disk of the archive is full. Free some space, then retry to read the rest.";
  if (isRefused(code))
    return `The archive folder cannot be written (${code}). Check its permissions, then retry to read the rest.`;
  if (isLoss(error)) return (error as Error).message;
  return `The archive could not store the import (${code}). Retry to read the rest.`;
}
