// Rows about searching and querying stored bytes: our grep and jq against the machine's own, taking turns.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { GREP_LIMITS, JQ_LIMITS } from "#lib/archive/artifacts/query-artifact.ts";
import { writeGrid, writeLog } from "./artifact-rows.ts";
import { mb, median, ms, skipped, times, verdict, type Row } from "./table.ts";

const MB = 1e6;
const LOG_BYTES = 100 * MB;
const GREP_TARGET = "≤ 1.5×";
const JQ_TARGET = "≤ 2×";

/** What is measured is the ratio: on a busy machine both take longer than an agent would wait. */
const PATIENT = { deadlineMs: JQ_LIMITS.long.deadlineMs } as const;

const PATTERNS = [
  { name: "a literal", pattern: "request 777777 ", options: ["-n"] },
  { name: "an alternation", pattern: "ERROR worker-(7|13) |path=/v1/items/99999", options: ["-n"] },
  { name: "case-blind", pattern: "error WORKER-63", options: ["-n", "-i"] },
] as const;

const PROGRAMS = [
  { name: "length", program: ".rows | length" },
  { name: "a select", program: "[.rows[] | select(.mass > 99.9)] | length" },
  { name: "a group_by", program: ".rows | group_by(.x * 100 | floor) | map(length)" },
] as const;

export async function jobRows(work: string, runs: number): Promise<Row[]> {
  mkdirSync(work, { recursive: true });
  const archive = await openArchive({ dir: join(work, "archive"), host: systemHost() });
  try {
    const stopped = await stopRows(archive, runs);
    return [...(await grepRows(archive, work, runs)), ...(await jqRows(archive, work, runs)), ...stopped];
  } finally {
    await closeArchive(archive);
    rmSync(work, { recursive: true, force: true });
  }
}

/** Both with line numbers, both over a file that was just written, both counted to the last match. */
async function grepRows({ jobs }: Archive, work: string, runs: number): Promise<Row[]> {
  const path = join(work, "log.txt");
  writeLog(path, LOG_BYTES);
  const version = versionOf("grep");
  const rows: Row[] = [];
  for (const { name, pattern, options } of PATTERNS) {
    const what = `grep of a ${mb(LOG_BYTES)} log, ${name}`;
    if (version === null) {
      rows.push(skipped(what, GREP_TARGET, "grep is not on this machine"));
      continue;
    }
    const ours: number[] = [];
    const theirs: number[] = [];
    let matches = 0;
    for (let run = -1; run < Math.max(runs, 5); run++) {
      const startedAt = performance.now();
      const answer = await jobs.grep({ path, pattern, options, limits: { ...GREP_LIMITS, ...PATIENT } });
      const took = performance.now() - startedAt;
      const peer = await outputOf("grep", [...options, "-E", "--", pattern, path]);
      if (!answer.ok) throw new Error(`Our grep said: ${answer.message}`);
      matches = answer.matches;
      if (matches !== peer.lines) throw new Error(`Our grep found ${matches} lines, grep ${peer.lines}.`);
      // The first run fills the file cache and starts nothing that stays.
      if (run < 0) continue;
      ours.push(took);
      theirs.push(peer.ms);
    }
    rows.push(rowOf(`${what} (${matches} lines)`, ours, theirs, version, GREP_TARGET, 1.5));
  }
  rmSync(path);
  return rows;
}

async function jqRows({ jobs }: Archive, work: string, runs: number): Promise<Row[]> {
  const version = versionOf("jq");
  const rows: Row[] = [];
  for (const [bytes, limits, programs] of [
    [10 * MB, { ...JQ_LIMITS.agent, ...PATIENT }, PROGRAMS],
    [100 * MB, JQ_LIMITS.long, PROGRAMS.slice(0, 1)],
  ] as const) {
    const path = join(work, "grid.json");
    writeGrid(path, bytes);
    for (const { name, program } of programs) {
      const what = `jq on ${mb(bytes)} of JSON, ${name}`;
      if (version === null) {
        rows.push(skipped(what, JQ_TARGET, "jq is not on this machine"));
        continue;
      }
      const ours: number[] = [];
      const theirs: number[] = [];
      const delays: number[] = [];
      for (let run = -1; run < runs; run++) {
        const delay = monitorEventLoopDelay({ resolution: 5 });
        delay.enable();
        const startedAt = performance.now();
        const answer = await jobs.jq({ path, program, options: { compact: true }, limits });
        const took = performance.now() - startedAt;
        delay.disable();
        const peer = await outputOf("jq", ["-c", program, path]);
        if (!answer.ok) throw new Error(`Our jq said: ${answer.message}`);
        if (answer.output !== peer.text) throw new Error(`Our jq and jq do not say the same of ${program}.`);
        // The first run compiles the module and starts the thread.
        if (run < 0) continue;
        ours.push(took);
        theirs.push(peer.ms);
        delays.push(delay.percentile(99) / 1e6);
      }
      const row = rowOf(what, ours, theirs, version, JQ_TARGET, 2);
      rows.push({ ...row, measured: `${row.measured}, event loop p99 ${ms(Math.max(...delays))}` });
    }
    if (bytes === 100 * MB) rows.push(await refusedRow({ jobs }, path, bytes));
    rmSync(path);
  }
  return rows;
}

/** What an agent gets, whose programs have less memory. */
async function refusedRow({ jobs }: Pick<Archive, "jobs">, path: string, bytes: number): Promise<Row> {
  const startedAt = performance.now();
  const answer = await jobs.jq({ path, program: "length", options: {}, limits: JQ_LIMITS.agent });
  const took = performance.now() - startedAt;
  return {
    what: `jq on ${mb(bytes)} of JSON for an agent (256 MB of memory)`,
    measured: answer.ok ? ms(took) : `refused in ${ms(took)}: ${answer.message.slice(0, 60)}…`,
    against: "",
    ratio: "",
    target: "answered, or refused with what to do",
    verdict: verdict(answer.ok || (answer.kind === "too_large" && answer.message.includes("artifact_read"))),
  };
}

/** As a person types: two seconds, and the memory that a person's program may take. */
const TYPED = {
  deadlineMs: 2000,
  memoryBytes: JQ_LIMITS.person.memoryBytes,
  outputBytes: JQ_LIMITS.person.outputBytes,
} as const;
/** Ending a thread takes some 10 ms; more than this after the deadline is felt. */
const LATE_MS = 150;
const RETURNED_MS = 10_000;

/** Programs that never end: stopped when they were told, the next one answered, and the memory given back. */
async function stopRows({ jobs }: Archive, runs: number): Promise<Row[]> {
  const ask = (program: string) => jobs.jq({ text: "0", program, options: { compact: true }, limits: TYPED });
  // What stays when all is at rest: both threads, the compiled module.
  for (let round = 0; round < 5; round++)
    await Promise.all([ask("[range(1e5)] | length"), ask("[range(1e5)] | length")]);
  const rows: Row[] = [];
  for (const program of ["def f: f; f", "[range(1e9)]", "range(1e12)"]) {
    const before = process.memoryUsage.rss();
    const took: number[] = [];
    const next: number[] = [];
    let kind = "";
    for (let run = 0; run < runs; run++) {
      const startedAt = performance.now();
      const stopped = await ask(program);
      took.push(performance.now() - startedAt);
      if (stopped.ok) throw new Error(`${program} ended by itself.`);
      kind = stopped.kind;
      const againAt = performance.now();
      const again = await ask("1 + 1");
      next.push(performance.now() - againAt);
      if (!again.ok || again.output !== "2\n") throw new Error(`After ${program} jq said ${JSON.stringify(again)}.`);
    }
    const waitedAt = performance.now();
    while (process.memoryUsage.rss() > before * 1.1 && performance.now() - waitedAt < RETURNED_MS)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const after = process.memoryUsage.rss();
    const late = Math.max(...took) - TYPED.deadlineMs;
    const ended =
      kind === "timeout" ? `${ms(late)} after its deadline` : `for its ${kind}, after ${ms(Math.max(...took))}`;
    rows.push({
      what: `jq that never ends: ${program}`,
      measured: `stopped ${ended}; the next answered in ${ms(median(next))}; ${mb(before)} held before, ${mb(after)} after`,
      against: "",
      ratio: times(after / before),
      target: `at its deadline (2 s), memory back within 10 %`,
      verdict: verdict(late <= LATE_MS && after <= before * 1.1),
    });
  }
  return rows;
}

function rowOf(what: string, ours: number[], theirs: number[], peer: string, target: string, most: number): Row {
  const [mine, other] = [median(ours), median(theirs)];
  return {
    what,
    measured: ms(mine),
    against: `${ms(other)} for ${peer}`,
    ratio: times(mine / other),
    target,
    verdict: verdict(mine <= most * other),
  };
}

function versionOf(program: string): string | null {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.split("\n")[0]!.trim() : null;
}

/** Through a pipe, as our own reads it: over /dev/null GNU grep would stop at its first match. */
function outputOf(program: string, args: readonly string[]): Promise<{ text: string; lines: number; ms: number }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.on("error", reject);
    child.on("close", (status) => {
      const took = performance.now() - startedAt;
      if (status !== 0) return reject(new Error(`${program} ended with status ${status}.`));
      const text = Buffer.concat(pieces).toString("utf8");
      resolve({ text, lines: text.split("\n").length - 1, ms: took });
    });
  });
}
