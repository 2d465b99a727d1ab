// Rows of a session that a long look began with and an import took away.
import { expect, test } from "vitest";
import { isAppError } from "#lib/kernel/errors.ts";
import { inArchive } from "../testing-archive.ts";
import { tokenizerOf } from "./session-rows.ts";

test("a session that is imported again meanwhile is a conflict, which may be retried, and no bug", () =>
  inArchive(async (archive) => {
    try {
      tokenizerOf(archive, 41);
      expect.unreachable();
    } catch (error) {
      expect(isAppError(error) && error.code).toBe("conflict");
      expect((error as Error).message).toBe("This session is being imported again. Retry in a moment.");
    }
  }));
