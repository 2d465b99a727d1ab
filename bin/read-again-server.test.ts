// What an older version read is read again when a server starts, and by `plimsoll import`: shown while it runs, and at its end.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { outdatedSources } from "#lib/archive/import/read-again.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { createChanges, type Changes } from "#lib/http/changes.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { systemHost } from "./system-host.ts";
import { createImports } from "./server-imports.ts";
import { entryOf } from "../scripts/bundle.mjs";

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** A synthetic transcript: a prompt and its answer. */
function transcript(n: number): string {
  const record = (type: string, message: object): string =>
    JSON.stringify({
      type,
      uuid: `${type} ${n}`,
      parentUuid: null,
      isSidechain: false,
      sessionId: idOf(n),
      timestamp: "2026-01-05T09:00:00.000Z",
      message,
    });
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    record("user", { role: "user", content: "Look" }),
    record("assistant", { id: `m${n}`, role: "assistant", model: "claude-opus-4-5", content: [], usage }),
    "",
  ].join("\n");
}

/** An archive with so many sessions that an older version read, their files gone. */
async function older(archive: Archive, logs: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) put(logs, `${idOf(n)}.jsonl`, transcript(n));
  await importPaths(archive, [logs]);
  archive.sqlite.exec(`
    UPDATE sources SET format_version = format_version - 1, path = path || '.gone';
    UPDATE sessions SET usd = 99, calls = 0;
  `);
}

const figures = (archive: Archive): unknown =>
  archive.sqlite
    .prepare("SELECT count(*) AS sessions, sum(calls) AS calls, max(usd) < 1 AS isPriced FROM sessions")
    .get();

/** What the pages hear. */
function heard(changes: Changes): { states: string[]; ended: Promise<string> } {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const states: string[] = [];
  changes.subscribe(null, (_, change) => {
    if (change.type !== "import" || change.progress.kind !== "read-again") return;
    states.push(`${change.progress.filesDone} of ${change.progress.files}`);
    if (change.progress.state !== "running") resolve(change.progress.state);
  });
  return { states, ended };
}

test("a server reads it again in the background, and other jobs go before", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        await older(archive, join(dir, "old"), 40);
        const changes = createChanges("0");
        const { states, ended } = heard(changes);
        const imports = await createImports({ archive, changes, sources: [] });
        try {
          imports.watch();
          const { done } = await imports.start([put(dir, "logs/new.jsonl", transcript(99))]);
          await done;
          const leftThen = outdatedSources(archive).length;
          expect(await ended).toBe("done");
          expect(leftThen).toBeGreaterThan(0);
          expect(states[0]).toBe("0 of 40");
          expect(outdatedSources(archive)).toEqual([]);
          expect(figures(archive)).toEqual({ sessions: 41, calls: 41, isPriced: 1 });
        } finally {
          await imports.close();
        }
      },
      systemHost(),
    );
  }),
);

test("a person can cancel it, and it goes on at the next start", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        await older(archive, join(dir, "old"), 40);
        const changes = createChanges("0");
        const { ended } = heard(changes);
        const first = await createImports({ archive, changes, sources: [] });
        changes.subscribe(null, (_, change) => {
          if (change.type === "import" && change.progress.state === "running")
            void first.cancel(change.progress.id).catch(() => undefined);
        });
        first.watch();
        expect(await ended).toBe("cancelled");
        await first.close();
        expect(outdatedSources(archive).length).toBeGreaterThan(0);
        const again = createChanges("1");
        const next = heard(again);
        const second = await createImports({ archive, changes: again, sources: [] });
        second.watch();
        expect(await next.ended).toBe("done");
        await second.close();
        expect(figures(archive)).toEqual({ sessions: 40, calls: 40, isPriced: 1 });
      },
      systemHost(),
    );
  }),
);

test("plimsoll import reads it again where no server runs, and says how much", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    await withArchive(join(dir, "archive"), (archive) => older(archive, join(dir, "old"), 3), systemHost());
    const path = put(dir, "logs/new.jsonl", transcript(99));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [entryOf("bin/plimsoll.ts"), "import", path, "--json"],
      { encoding: "utf8", env: { ...process.env, HOME: join(dir, "home"), PLIMSOLL_ARCHIVE: join(dir, "archive") } },
    );
    expect({ status, stderr: stderr.trim() }).toEqual({
      status: 0,
      stderr: "Updated 3 files that an older version had read (3 sessions)",
    });
    expect(JSON.parse(stdout)).toMatchObject({ totals: { files: 1 } });
    await withArchive(join(dir, "archive"), async (archive) =>
      expect(figures(archive)).toEqual({ sessions: 4, calls: 4, isPriced: 1 }),
    );
  }),
);

test("a long work that is cancelled says so in a sentence, and logs no stack", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        const logs = join(dir, "logs");
        for (let n = 0; n < 40; n++) put(logs, `${idOf(n)}.jsonl`, transcript(n));
        await importPaths(archive, [logs]);
        const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
        const imports = await createImports({ archive, changes: createChanges("0"), sources: [] });
        const stop = new AbortController();
        const work = archive.writer!.work!("presets", {}, { signal: stop.signal, onProgress: () => stop.abort() });
        await expect(work).rejects.toThrow("presets was cancelled before it ended.");
        await imports.close();
        expect(logged).not.toHaveBeenCalled();
        logged.mockRestore();
      },
      systemHost(),
    );
  }),
);
