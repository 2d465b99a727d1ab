// Every failure that a caller may meet has one of six codes. Anything else is a bug:
// it flies to the edge, where a person sees an id and the log sees the stack.
// The brand is a Symbol.for, because pages are rendered with a copy of this file that Next bundled,
// and `instanceof` is false across copies.

export const ERROR_CODES = ["invalid", "not_found", "conflict", "too_large", "unsupported", "timeout"] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

const brand = Symbol.for("plimsoll.AppError");

/** A failure with a code and a message that says what was asked, what was found, and what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** The same request may succeed in a moment: that it was refused is not remembered. */
  readonly isPassing: boolean;
  /** Whoever asks may not do it: another may. */
  readonly isForbidden: boolean;
  constructor(
    code: ErrorCode,
    message: string,
    options?: { cause?: unknown; isPassing?: boolean; isForbidden?: boolean },
  ) {
    super(message, options);
    this.name = "AppError";
    this.code = code;
    this.isPassing = options?.isPassing ?? false;
    this.isForbidden = options?.isForbidden ?? false;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Throws an AppError. */
export function fail(code: ErrorCode, message: string, cause?: unknown): never {
  throw new AppError(code, message, cause === undefined ? undefined : { cause });
}

/** Throws an AppError for whoever may not do it. Over HTTP it is a 403, as from the gate. */
export function forbid(message: string): never {
  throw new AppError("invalid", message, { isForbidden: true });
}

/** True for an AppError from any copy of this module. */
export function isAppError(error: unknown): error is AppError {
  return typeof error === "object" && error !== null && brand in error;
}
