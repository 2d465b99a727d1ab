// Sending session files to a fleet, against plain PUTs of the same bytes to the same gateway, in turns; and opening one of them on a
// node that has never seen it.
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { openFleet } from "#lib/fleet/open-fleet.ts";
import { sendSessions } from "#lib/fleet/send-sessions.ts";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { askNode, whileNobodyReads, type BenchFleet, type BenchServices } from "./fleet-services.ts";
import { mb, median, ms, times, verdict, type Row } from "./table.ts";

const FILES = 40;
/** Sent and put first, and not counted: code is compiled. */
const FIRST = 4;
const FILE_BYTES = 4_000_000;
const CONNECTIONS = 4;
/** Sent and put in turns: machines are busy. */
const TURNS = 4;
const OPENED = 6;

export async function sendRows(services: BenchServices, work: string): Promise<Row[]> {
  const bench = await services.fleet("sent");
  const archive = await openArchive({ dir: join(work, "laptop"), host: systemHost() });
  try {
    const ids = await writeAndImport(archive, join(work, "logs"));
    const receiver = await bench.node("receiver");
    const sent = await whileNobodyReads(bench.fleet, () => sendInTurns(bench, archive, ids, receiver.url!));
    await catalogued(bench);
    return [sent, await openRow(bench, ids)];
  } finally {
    await closeArchive(archive);
    await bench.close();
  }
}

async function writeAndImport(archive: Archive, dir: string): Promise<string[]> {
  for (let n = 1; n <= FIRST + FILES; n++) {
    const sessionId = uuidOf(n, 1);
    const path = join(dir, "projects", "-home-user-harbour", `${sessionId}.jsonl`);
    writeSession({ path, sessionId, seed: n, bytes: FILE_BYTES, project: "/home/user/harbour" });
  }
  await importPaths(archive, [dir]);
  const ids = archive.sqlite.prepare("SELECT id FROM sessions ORDER BY id").pluck().all() as string[];
  if (ids.length !== FIRST + FILES) throw new Error(`${ids.length} of ${FIRST + FILES} sessions were imported.`);
  return ids;
}

async function sendInTurns(bench: BenchFleet, archive: Archive, ids: readonly string[], to: string): Promise<Row> {
  const plain = openFleet({ database: "postgres://nobody@127.0.0.1/none", bucket: bench.bucket("plain") });
  await plain.objects.ensure();
  const known = new Set<string>();
  const [sending, putting]: [number[], number[]] = [[], []];
  let bytes = 0;
  let objects = 0;
  for (let turn = -1; turn < TURNS; turn++) {
    const from = FIRST + (turn * FILES) / TURNS;
    const some = turn < 0 ? ids.slice(0, FIRST) : ids.slice(from, from + FILES / TURNS);
    const startedAt = performance.now();
    const results = await sendSessions(archive, {
      ...{
        to,
        token: bench.token,
        project: "bench",
        sender: "laptop",
        sessions: some,
        exclude: [],
        mask: "none",
        dryRun: false,
      },
    });
    const sentMs = performance.now() - startedAt;
    if (results.length !== some.length || results.some(({ state }) => state !== "sent"))
      throw new Error(JSON.stringify(results.slice(0, 3)));
    const queue: { name: string; bytes: Uint8Array }[] = [];
    for (const prefix of ["segments/", "blobs/"])
      for await (const { name } of bench.fleet.objects.list(prefix)) {
        if (known.has(name)) continue;
        known.add(name);
        queue.push({ name, bytes: await bench.fleet.objects.get(name) });
      }
    const [count, size] = [queue.length, queue.reduce((sum, one) => sum + one.bytes.length, 0)];
    const putAt = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop())
          await plain.objects.put(next.name, next.bytes);
      }),
    );
    if (turn < 0) continue;
    sending.push(sentMs);
    putting.push(performance.now() - putAt);
    objects += count;
    bytes += size;
  }
  await plain.close();
  const [sent, put] = [sending, putting].map((all) => all.reduce((sum, one) => sum + one, 0)) as [number, number];
  return {
    what: `send ${FILES} session files of ${mb(FILE_BYTES)} (${objects} objects, ${mb(bytes)}), until the last commit is stored; no node reads meanwhile`,
    measured: `${ms(sent)}, ${mb((bytes / sent) * 1000)}/s`,
    against: `${ms(put)}, ${mb((bytes / put) * 1000)}/s: the same objects, ${CONNECTIONS} connections, plain PUTs`,
    ratio: times(put / sent),
    target: "≥ 0.5 ×",
    verdict: verdict(put / sent >= 0.5),
  };
}

/** Waits until every commit is read. */
export async function catalogued({ fleet }: BenchFleet, until = performance.now() + 900_000): Promise<void> {
  for (;;) {
    const [row] = await fleet.sql<
      { n: number }[]
    >`SELECT count(*) AS n FROM commits WHERE state IN ('waiting', 'claimed')`;
    if (row!.n === 0 || performance.now() > until) break;
    await new Promise((done) => setTimeout(done, 250));
  }
  const failed = await fleet.sql`SELECT state, reason, count(*) FROM commits WHERE state <> 'done' GROUP BY 1, 2`;
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
}

async function openRow(bench: BenchFleet, ids: readonly string[]): Promise<Row> {
  const reader = await bench.node("reader");
  const [first, second]: [number[], number[]] = [[], []];
  // The first is not counted: code is compiled.
  for (const [n, id] of ids.slice(0, OPENED + 1).entries()) {
    const path = `/api/sessions/${id}/events?limit=100`;
    const once = await askNode(reader, path);
    const again = await askNode(reader, path);
    if (n > 0) {
      first.push(once.ms);
      second.push(again.ms);
    }
  }
  return {
    what: `open a session of ${mb(FILE_BYTES)} on a node that has never seen it: first rows`,
    measured: `${ms(median(first))}, at most ${ms(Math.max(...first))}; second time ${ms(median(second))}, at most ${ms(Math.max(...second))}`,
    against: "",
    ratio: "",
    target: "≤ 1 s; second time ≤ 250 ms",
    verdict: verdict(median(first) <= 1000, median(second) <= 250),
  };
}
