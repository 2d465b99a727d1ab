// Rows about recall: whether what an agent went back for is among the five that it would have been reminded of, and how long
// an answer takes. Figures of single sessions go to stderr, so that the table stays a table.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runTask } from "./measure-run.ts";
import type { HeldTold } from "./recall-held.ts";
import type { Hits, RecallSpeed, RecallTold } from "./recall-tasks.ts";
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
  const told = await runTask<HeldTold>("recall-held", { paths: COLLECTED, dir: join(work, "held") });
  const of = (hits: number): number => (100 * hits) / told.moments;
  return [
    {
      what: `${what}: n = ${told.moments}`,
      measured: `hit@5 ${of(told.offloaded).toFixed(1)} %`,
      against: `outputs in the log ${of(told.inline).toFixed(1)} %`,
      ratio: "",
      target,
      verdict: verdict(told.moments > 0, of(told.offloaded) >= of(told.inline) - POINTS),
    },
  ];
}

async function hitRows(work: string): Promise<Row[]> {
  const what = "a file that an agent read again, among what is recalled";
  const target = `hit@5 ≥ ${TARGET.overBm25} × plain BM25`;
  if (!COLLECTED.every((path) => existsSync(path)))
    return [skipped(what, target, "the collected sessions are not beside this repository")];
  const wish = { paths: COLLECTED, count: LEAST_BYTES };
  const outputs = await runTask<RecallTold>("recall-outputs", { ...wish, dir: join(work, "outputs") });
  const artifacts = await runTask<RecallTold>("recall-artifacts", { ...wish, dir: join(work, "artifacts") });
  return [
    hitRow(`${what}, of all outputs from ${LEAST_BYTES} bytes`, outputs),
    hitRow(`${what}, of artifacts, through the archive, ≤ ${TARGET.tokens} tokens`, artifacts),
  ];
}

function hitRow(what: string, told: RecallTold): Row {
  const of = (hits: Hits): string => hits.map((hit) => ((100 * hit) / told.moments).toFixed(1)).join(" / ");
  // The better of the two: over beginnings, as ours, or over whole texts.
  const plain = Math.max(told.plain[1], told.plainWhole[1]);
  return {
    what: `${what}: n = ${told.moments} in ${told.sessions} sessions, ${told.candidates} candidates`,
    measured: `hit@1/5/10 ${of(told.ours)} %${told.tokens > 0 ? `, at most ${told.tokens} tokens` : ""}`,
    against: `BM25 ${of(told.plain)} %, over whole texts ${of(told.plainWhole)} %, latest ${of(told.recency)} %`,
    ratio: times(told.ours[1] / plain),
    target: `hit@5 ≥ ${TARGET.overBm25} × BM25`,
    verdict: verdict(told.moments > 0, told.ours[1] >= TARGET.overBm25 * plain, told.tokens <= TARGET.tokens),
  };
}

async function speedRow(work: string): Promise<Row> {
  const told = await runTask<RecallSpeed>("recall-speed", {
    paths: [],
    dir: join(work, "speed"),
    count: 10_000,
    seed: 7,
  });
  return {
    what: `recall among ${told.artifacts.toLocaleString("en")} artifacts, ${told.ms.length} questions`,
    measured: `p95 ${ms(p95(told.ms))}, median ${ms(median(told.ms))}; of the processor p95 ${ms(p95(told.cpuMs))}`,
    against: `kept durably p95 ${ms(p95(told.asNoteMs))}; the first, which makes the index, ${ms(told.firstMs)}`,
    ratio: "",
    target: `p95 ≤ ${TARGET.ms} ms`,
    verdict: verdict(told.artifacts === 10_000, p95(told.ms) <= TARGET.ms),
  };
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!;
