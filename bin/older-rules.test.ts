// What an older version said of sessions, its state, culprits and findings, is worked out anew when a server starts, the newest first.
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { recountState, saveRecount } from "#lib/archive/import/state-counts.ts";
import { computeVerdict } from "#lib/archive/load/compute-verdict.ts";
import { listFindings } from "#lib/archive/load/list-findings.ts";
import { compactedAt, wasteful } from "#lib/archive/load/testing-wasteful.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { createChanges } from "#lib/http/changes.ts";
import { RULES_VERSION } from "#lib/kernel/load/rules-version.ts";
import { findingsQuery } from "#lib/wire/findings-schema.ts";
import { createImports } from "./server-imports.ts";
import { systemHost } from "./system-host.ts";

const DAY = 86_400;

const waiting = async (archive: Archive): Promise<number> =>
  (await listFindings(archive, findingsQuery.parse({}))).waiting;

/** Runs a server's background work until nothing waits; returns the sessions that it came to, in that order. */
async function serve(archive: Archive): Promise<string[]> {
  const changes = createChanges("0");
  const counted: string[] = [];
  changes.subscribe(null, (_, change) => {
    if (change.type === "counted") counted.push(change.id);
  });
  const imports = await createImports({ archive, changes, sources: [] });
  try {
    await vi.waitFor(async () => expect(await waiting(archive)).toBe(0), { timeout: 20_000, interval: 50 });
  } finally {
    await imports.close();
  }
  return counted;
}

const kept = ({ sqlite }: Archive) => ({
  sessions: sqlite
    .prepare(
      `SELECT pk, id, state, automatic, culprit, avoidable_usd, avoidable_tokens, load_line, tally ->> 'autoCompactAt' AS at,
         tally ->> 'overflow' AS refused, card ->> 'top' AS top, rules_version FROM sessions ORDER BY started_at DESC`,
    )
    .all() as { readonly pk: number; readonly id: string; readonly state: string; readonly automatic: number }[],
  findings: sqlite.prepare("SELECT * FROM session_findings ORDER BY session_pk, n").all(),
  loads: sqlite.prepare("SELECT pointer, load_tokens, load_calls FROM artifacts ORDER BY pointer").all(),
});

test(
  "states, culprits and findings of older rules are those of now again, the newest session first",
  { timeout: 60_000 },
  () =>
    inFolder(async (dir) => {
      for (const [n, label] of ["a", "b", "c"].entries()) {
        const records = [...wasteful(label, n * DAY + 1), compactedAt(label, n * DAY + 900)];
        put(dir, `logs/${label}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      }
      await withArchive(
        join(dir, "archive"),
        async (archive) => {
          await importPaths(archive, [join(dir, "logs")]);
          await serve(archive);
          const now = kept(archive);
          expect(now.sessions.map(({ state, automatic }) => [state, automatic])).toEqual(
            [1, 2, 3].map(() => ["compacted", 1]),
          );
          expect(now.findings.length).toBeGreaterThan(2);
          archive.sqlite.exec(`
          UPDATE sessions SET rules_version = ${RULES_VERSION - 1}, state = 'fine', automatic = 0, culprit = NULL, avoidable_usd = 99,
            avoidable_tokens = 99, tally = json_set(tally, '$.autoCompactAt', NULL, '$.overflow', json('true')),
            card = json_set(card, '$.top.tokens', 99);
          UPDATE artifacts SET load_calls = 99;
          DELETE FROM session_findings;
        `);
          expect(await waiting(archive)).toBe(3);
          expect(await serve(archive)).toEqual(now.sessions.map(({ id }) => id));
          expect(kept(archive)).toEqual(now);
          // Rules that are older than those of a session change nothing.
          archive.sqlite.exec(`UPDATE sessions SET rules_version = ${RULES_VERSION + 1}, avoidable_tokens = 99`);
          expect(await waiting(archive)).toBe(0);
          for (const { pk } of now.sessions) expect(await computeVerdict(archive, pk)).toBeNull();
        },
        systemHost(),
      );
    }),
);

test("counts of a session that changed since they were taken are not written", () =>
  inFolder(async (dir) => {
    const records = [...wasteful("a", 1), compactedAt("a", 900)];
    const path = put(dir, "logs/a.jsonl", records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        await importPaths(archive, [path]);
        archive.sqlite.exec(`UPDATE sessions SET rules_version = ${RULES_VERSION - 1}, automatic = 0`);
        const [session] = kept(archive).sessions;
        const late = recountState(archive, session!.pk)!;
        archive.sqlite.exec("UPDATE sessions SET version = version + 1");
        saveRecount(archive, session!.pk, late);
        expect(kept(archive).sessions[0]!.automatic).toBe(0);
        saveRecount(archive, session!.pk, recountState(archive, session!.pk)!);
        expect([kept(archive).sessions[0]!.automatic, recountState(archive, session!.pk)]).toEqual([1, null]);
      },
      systemHost(),
    );
  }));
