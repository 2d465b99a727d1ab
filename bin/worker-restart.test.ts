// The thread that writes, where it cannot start: of an archive whose disk went away nothing is tried again and again by itself.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { createChanges } from "#lib/http/changes.ts";
import { createImports } from "./server-imports.ts";

test("a writing thread that ended is started by who needs it next", { timeout: 60_000 }, () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const said = vi.spyOn(console, "error").mockReturnValue(undefined);
      const starts = (): number =>
        said.mock.calls.filter(([text]) => String(text).includes("import worker stopped")).length;
      const gone = { ...archive, dir: join(dir, "gone") };
      const imports = await createImports({ archive: gone, changes: createChanges("0"), sources: [] });
      try {
        await expect.poll(starts, { timeout: 20_000 }).toBe(1);
        await setTimeout(6000);
        expect(starts()).toBe(1);
        await expect(createSession(gone, { id: "s" })).rejects.toThrow();
        expect(starts()).toBe(2);
        // Its disk is back.
        symlinkSync(archive.dir, gone.dir);
        expect(await createSession(gone, { id: "s" })).toMatchObject({ id: expect.any(String) as string });
      } finally {
        await imports.close();
        said.mockRestore();
      }
    }),
  ),
);
