// A failure as a door tells it: the six codes with their status, what somebody may not do as the gate refuses it, anything else as an id whose stack is in the log.
import { randomBytes } from "node:crypto";
import { isStorageFailure } from "#lib/archive/artifacts/stage.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { ErrorCode } from "#lib/kernel/errors.ts";

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported: 422,
  timeout: 504,
};

export type Failure = {
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string; readonly id?: string };
};

/** Status and body of a failure; writes the stack of a bug to the log, on one line. */
export function failureOf(error: unknown, where: string): Failure {
  if (isAppError(error) && error.isForbidden)
    return { status: 403, error: { code: "refused", message: error.message } };
  if (isAppError(error)) return { status: STATUS[error.code], error: { code: error.code, message: error.message } };
  // A schema's refusal, where a verb checks what it was handed.
  if (error instanceof Error && error.name === "ZodError") {
    return { status: 400, error: { code: "invalid", message: "The body of this request is invalid." } };
  }
  if (isStorageFailure(error)) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    console.error(JSON.stringify({ at: new Date().toISOString(), where, code, message }));
    return { status: 507, error: { code: "storage", message: sentenceOf(code, message) } };
  }
  const id = randomBytes(4).toString("hex");
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ at: new Date().toISOString(), error: id, where, stack }));
  return {
    status: 500,
    error: { code: "bug", message: `Plimsoll failed on this request. Its log has the details under ${id}.`, id },
  };
}

/** What a person can do about a disk that refuses. Nothing of what was sent is kept. */
function sentenceOf(code: string, message: string): string {
  if (message.startsWith("The disk failed")) return message;
  if (/ENOSPC|EDQUOT|-122|SQLITE_FULL/.test(code))
    return "The disk of the archive is full, so nothing was saved. Free some space, or run plimsoll gc.";
  return `The disk of the archive failed to write (${code}), so nothing was saved.`;
}
