import { expect, test } from "vitest";
import { errorOfDigest, withDigest } from "./error-digest.ts";
import { AppError } from "./errors.ts";

test("what a page could not be made for is told by its digest, and a bug's hash is none of ours", () => {
  const away = new AppError("timeout", 'The database "db" does not answer.');
  const { digest } = withDigest(away) as AppError & { digest: string };
  expect(withDigest(away)).toBe(away);
  expect(errorOfDigest(digest)).toMatchObject({ code: "timeout", message: away.message });
  expect([errorOfDigest("3142671689"), errorOfDigest(undefined)]).toEqual([null, null]);
});
