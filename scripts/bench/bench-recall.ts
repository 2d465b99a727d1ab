// Rows about recall: whether what an agent went back for is among the five that it would have been reminded of, and how long
// an answer takes. Figures of single sessions go to stderr, so that the table stays a table.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runTask } from "./measure-run.ts";
import type { HeldResult } from "./recall-held.ts";
import type { Hits, RecallSpeed, RecallResult } from "./recall-tasks.ts";
import { median, ms, skipped, times, verdict, type Row } from "./table.ts";

const DATA = join(ROOT, "..", "shared", "data");
const COLLECTED = ["claude-code", "codex"].map((name) => join(DATA, name));
const TARGET = { overBm25: 1.15, tokens: 1000, ms: 20 } as const;
const LEAST_BYTES = 500;

export async function recallRows(work: string): Promise<Row[]> {
  return [...(await hitRows(work)), ...(await heldRows(work)), await speedRow(work)];
}

/** Points of hit@5 that offloading may cost. */
const POINTS = 2;

async function heldRows(work: string): Promise<Row[]> {
  const what = "the same in sessions held here, every output offloaded";
  const target = `hit@5 within ${POINTS} points`;
  if (!COLLECTED.every((path) => existsSync(path)))
    return [skipped(what, target, "the collected sessions are not beside this repository")];
  const result = await runTask<HeldResult>("recall-held", { paths: COLLECTED, dir: join(work, "held") });
  const of = (hits: number): number => (100 * hits) / result.moments;
  return [
    {
      what: `${what}: n = ${result.moments}`,
      measured: `hit@5 ${of(result.offloaded).toFixed(1)} %`,
      against: `outputs in the log ${of(result.inline).toFixed(1)} %`,
      ratio: "",
      target,
      verdict: verdict(result.moments > 0, of(result.offloaded) >= of(result.inline) - POINTS),
    },
  ];
}

async function hitRows(work: string): Promise<Row[]> {
  const what = "a file that an agent read again, among what is recalled";
  const target = `hit@5 ≥ ${TARGET.overBm25} × plain BM25`;
  if (!COLLECTED.every((path) => existsSync(path)))
    return [skipped(what, target, "the collected sessions are not beside this repository")];
  const input = { paths: COLLECTED, count: LEAST_BYTES };
  const outputs = await runTask<RecallResult>("recall-outputs", { ...input, dir: join(work, "outputs") });
  const artifacts = await runTask<RecallResult>("recall-artifacts", { ...input, dir: join(work, "artifacts") });
  return [
    hitRow(`${what}, of all outputs from ${LEAST_BYTES} bytes`, outputs),
    hitRow(`${what}, of artifacts, through the archive, ≤ ${TARGET.tokens} tokens`, artifacts),
  ];
}

function hitRow(what: string, result: RecallResult): Row {
  const of = (hits: Hits): string => hits.map((hit) => ((100 * hit) / result.moments).toFixed(1)).join(" / ");
  // The better of the two: over beginnings, as ours, or over whole texts.
  const plain = Math.max(result.plain[1], result.plainWhole[1]);
  return {
    what: `${what}: n = ${result.moments} in ${result.sessions} sessions, ${result.candidates} candidates`,
    measured: `hit@1/5/10 ${of(result.ours)} %${result.tokens > 0 ? `, at most ${result.tokens} tokens` : ""}`,
    against: `BM25 ${of(result.plain)} %, over whole texts ${of(result.plainWhole)} %, latest ${of(result.recency)} %`,
    ratio: times(result.ours[1] / plain),
    target: `hit@5 ≥ ${TARGET.overBm25} × BM25`,
    verdict: verdict(result.moments > 0, result.ours[1] >= TARGET.overBm25 * plain, result.tokens <= TARGET.tokens),
  };
}

async function speedRow(work: string): Promise<Row> {
  const result = await runTask<RecallSpeed>("recall-speed", {
    paths: [],
    dir: join(work, "speed"),
    count: 10_000,
    seed: 7,
  });
  return {
    what: `recall among ${result.artifacts.toLocaleString("en")} artifacts, ${result.ms.length} questions`,
    measured: `p95 ${ms(p95(result.ms))}, median ${ms(median(result.ms))}; of the processor p95 ${ms(p95(result.cpuMs))}`,
    against: `kept durably p95 ${ms(p95(result.asNoteMs))}; the first, which makes the index, ${ms(result.firstMs)}`,
    ratio: "",
    target: `p95 ≤ ${TARGET.ms} ms`,
    verdict: verdict(result.artifacts === 10_000, p95(result.ms) <= TARGET.ms),
  };
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!;
