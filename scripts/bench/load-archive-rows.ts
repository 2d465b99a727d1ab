// A large archive that was just imported: how long until every session has its verdict, and whether its pages answer meanwhile.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { JudgeResult } from "./load-tasks.ts";
import type { Varied } from "./load-vary.ts";
import { runPlimsoll, runTask } from "./measure-run.ts";
import { startServer, type Server } from "./bench-server.ts";
import { mb, median, ms, verdict, type Row } from "./table.ts";

const BYTES = 350e6;
const LEAST_SESSIONS = 280;
const MOST_MS = 30_000;
/** What a person waits for meanwhile: the list. The first answer waits for the server itself to start, and is told apart. */
const LIST = "/api/sessions?limit=50";
const LIST_EVERY_MS = 500;
const LIST_MS = 250;
/** Nothing is waited for longer: the row then says how far it came. */
const PATIENCE_MS = 10 * 60_000;

export async function archiveRows(work: string, paths: readonly string[]): Promise<Row[]> {
  const sources = join(work, "varied");
  const dir = join(work, "large");
  const varied = await runTask<Varied>("load-vary", { paths, dir: sources, count: BYTES });
  const imported = await runPlimsoll(["import", sources, "--archive", dir, "--json"]);
  console.error(`${varied.files} files, ${mb(varied.bytes)} imported in ${ms(imported.ms)}`);
  const startedAt = performance.now();
  const server = await startServer(work, dir);
  const result = await watch(server, dir, startedAt).finally(() => server.stop());
  const { ms: judging } = await runTask<JudgeResult>("load-judge", { paths: [], dir });
  const [first, ...rest] = result.answerMs as [number, ...number[]];
  const request = rest.length === 0 ? [first] : rest;
  const p95 = request.toSorted((a, b) => a - b)[Math.ceil(request.length * 0.95) - 1]!;
  const what = `an archive of ${result.sessions} sessions, ${mb(varied.bytes)}`;
  return [
    {
      what: `${what}: every text counted, every session judged, from the server's start`,
      measured: `${result.left === 0 ? "" : `${result.left} not judged after `}${ms(result.ms)}${result.cpuMs === null ? "" : `, ${ms(result.cpuMs)} of a processor`}`,
      against: `${ms(judging)} to judge all again, nothing to count`,
      ratio: "",
      target: `≤ ${MOST_MS / 1000} s`,
      verdict: verdict(result.left === 0, result.ms <= MOST_MS, result.sessions >= LEAST_SESSIONS),
    },
    {
      what: `${what}: the list of sessions meanwhile, asked twice a second`,
      measured: `p95 ${ms(p95)}, median ${ms(median(request))}, at most ${ms(Math.max(...request))}, ${request.length} times`,
      against: `${ms(first)} the first, while the server starts`,
      ratio: "",
      target: `≤ ${LIST_MS} ms p95`,
      verdict: verdict(p95 <= LIST_MS),
    },
  ];
}

type Watched = {
  readonly ms: number;
  readonly sessions: number;
  readonly left: number;
  /** Processor time of the whole server: a busy machine does not bend it. Null where the system does not tell. */
  readonly cpuMs: number | null;
  /** Milliseconds that the list took, each time. */
  readonly answerMs: readonly number[];
};

async function watch(server: Server, dir: string, startedAt: number): Promise<Watched> {
  const request: number[] = [];
  const archive = await openArchive({ dir, host: systemHost(), mode: "read" });
  try {
    const left = archive.sqlite.prepare("SELECT count(*) FROM sessions WHERE judged_version IS NOT version").pluck();
    const sessions = archive.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get() as number;
    let waiting = left.get() as number;
    // Asked beside the looking: a slow answer must not hide when the work was done.
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted) {
        const one = await server.ask("GET", LIST);
        request.push(one.ms);
        await sleep(Math.max(0, LIST_EVERY_MS - one.ms));
      }
    })();
    asking.catch(() => over.abort());
    while (waiting > 0 && !over.signal.aborted && performance.now() - startedAt < PATIENCE_MS) {
      await sleep(100);
      waiting = left.get() as number;
    }
    const took = performance.now() - startedAt;
    const cpuMs = processorMs(dir);
    over.abort();
    await asking;
    return { ms: took, sessions, left: waiting, cpuMs, answerMs: request };
  } finally {
    await closeArchive(archive);
  }
}

/** /proc counts in hundredths of a second, whatever the processor. */
function processorMs(dir: string): number | null {
  try {
    const { pid } = JSON.parse(readFileSync(join(dir, "endpoint.json"), "utf8")) as { pid: number };
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

const sleep = (forMs: number): Promise<void> => new Promise((done) => setTimeout(done, forMs));
