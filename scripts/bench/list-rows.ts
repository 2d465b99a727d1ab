// Rows about the list of artifacts: a hundred thousand of them, by each column, with sums and counts.
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { random } from "./generate-sessions.ts";
import { median, ms, verdict, type Row } from "./table.ts";

const ARTIFACTS = 100_000;
const SESSIONS = 200;
const SORTS = ["size", "created", "name", "tool", "type", "expires"] as const;

export async function listRows(work: string): Promise<Row[]> {
  const archive = await openArchive({ dir: join(work, "list"), host: systemHost() });
  try {
    for (let i = 0; i < SESSIONS; i++) await createSession(archive, { id: `list-${i}` });
    fill(archive);
    const pages: number[] = [];
    const first: number[] = [];
    for (const sort of SORTS)
      for (const dir of ["asc", "desc"] as const) {
        // Something was written: sums and counts are made anew.
        archive.sqlite.prepare("INSERT INTO settings VALUES (?, '1')").run(`bench-${sort}-${dir}`);
        first.push(await timeOf(archive, { sort, dir }));
        for (let page = 1; page < 8; page++) pages.push(await timeOf(archive, { sort, dir, offset: page * 12_000 }));
      }
    return [
      {
        what: `${ARTIFACTS.toLocaleString("en")} artifacts listed by each of ${SORTS.length} columns, both ways, with sums and counts`,
        measured: `${ms(median(first))} after a write, at most ${ms(Math.max(...first))}; further pages ${ms(median(pages))}, at most ${ms(Math.max(...pages))}`,
        against: "",
        ratio: "",
        target: "≤ 100 ms",
        verdict: verdict(median(first) <= 100, median(pages) <= 100),
      },
    ];
  } finally {
    await closeArchive(archive);
  }
}

async function timeOf(archive: Archive, query: object): Promise<number> {
  const startedAt = performance.now();
  const { total } = await listArtifacts(archive, artifactsQuery.parse(query));
  if (total !== ARTIFACTS) throw new Error(`${total} artifacts are listed, not ${ARTIFACTS}.`);
  return performance.now() - startedAt;
}

/** Rows alone: nothing here reads a byte of what they stand for. */
function fill({ sqlite }: Archive): void {
  const next = random(100);
  const blob = sqlite.prepare(
    "INSERT INTO blobs (digest, size, line_count, created_at, shape) VALUES (?, 1, 1, 1, '\"text(3 lines)\"')",
  );
  const row = sqlite.prepare(
    `INSERT INTO artifacts (pointer, session_pk, digest, name, tool_name, content_type, size, line_count, created_at, expires_at, origin, preview, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, 'auto', ?, 0)`,
  );
  const one = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
  sqlite.transaction(() => {
    for (let i = 0; i < ARTIFACTS; i++) {
      const digest = i.toString(16).padStart(64, "0");
      blob.run(digest);
      row.run(
        `art:${i.toString(16).padStart(36, "0")}`,
        1 + Math.floor(next() * SESSIONS),
        digest,
        `output-${Math.floor(next() * 1e9)}.txt`,
        one(["bash", "read", "grep", "web_search", "query", null]),
        one(["text/plain", "application/json", "text/csv", "image/png"]),
        Math.floor(next() ** 4 * 1e8),
        Math.floor(1.7e12 + next() * 1e10),
        next() < 0.3 ? Math.floor(1.9e12 + next() * 1e10) : null,
        "p".repeat(200),
      );
    }
    sqlite.exec("UPDATE sessions SET artifacts = (SELECT count(*) FROM artifacts a WHERE a.session_pk = sessions.pk)");
  })();
}
