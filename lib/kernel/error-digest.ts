// A failure of a page that the server makes, told in its browser. In production React sends no message of an error, but its `digest`,
// as it was given.
import { AppError, type ErrorCode } from "./errors.ts";

const PREFIX = "plimsoll ";

/** The same error, so that a browser is told of it. */
export const withDigest = (error: AppError): AppError =>
  Object.assign(error, { digest: `${PREFIX}${JSON.stringify([error.code, error.message])}` });

/** What a browser was told of; null for what was a bug, whose words stay in the log. */
export function errorOfDigest(digest: string | undefined): AppError | null {
  if (digest?.startsWith(PREFIX) !== true) return null;
  const [code, message] = JSON.parse(digest.slice(PREFIX.length)) as [ErrorCode, string];
  return new AppError(code, message);
}
