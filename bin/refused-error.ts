// An error, on its way from one thread to another: its code and its sentence stay what they were.
import { AppError, isAppError, type ErrorCode } from "#lib/kernel/errors.ts";

export type Refused = {
  readonly code: string | null;
  readonly isApp: boolean;
  readonly isPassing: boolean;
  readonly message: string;
  readonly stack: string;
};

export function refusedOf(error: unknown): Refused {
  const { code, message, stack, isPassing } = error as Partial<AppError>;
  return {
    code: typeof code === "string" ? code : null,
    isApp: isAppError(error),
    isPassing: isPassing === true,
    message: message ?? String(error),
    stack: stack ?? "",
  };
}

export function errorOf({ isApp, isPassing, code, message, stack }: Refused): Error {
  const error = isApp
    ? new AppError(code as ErrorCode, message, { isPassing })
    : Object.assign(new Error(message), { code });
  error.stack = stack;
  return error;
}
