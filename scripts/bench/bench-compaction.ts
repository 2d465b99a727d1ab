// Rows about what a compaction keeps, by the metric of docs/evidence-metric.md, and how long it takes. Figures of single cuts
// go to stderr, so that the table stays a table.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Evidence } from "#lib/kernel/memory/extractive/evidence.ts";
import type { SaidResult } from "./compaction-said.ts";
import type { CutResult, ExtractSpeed } from "./compaction-tasks.ts";
import { ROOT, runTask } from "./measure-run.ts";
import { median, ms, skipped, times, verdict, type Row } from "./table.ts";

const DATA = join(ROOT, "..", "shared", "data");

const TARGET = {
  overTail: 1.5,
  bag: 0.35,
  fromOutputs: 0.5,
  once: { filesModified: 1, userMessages: 0.8, commands: 0.3, errors: 0.4 },
  twice: { filesModified: 1, userMessages: 0.9, commands: 0.6, errors: 0.6 },
  ms: 500,
  perChar: 1.3,
} as const;

export async function compactionRows(work: string, runs: number): Promise<Row[]> {
  if (!existsSync(DATA))
    return ["evidence kept by summaries", "time of a summary"].map((what) =>
      skipped(what, "", "the collected sessions are not beside this repository"),
    );
  const cuts = await runTask<CutResult[]>("compaction-cuts", { paths: [DATA], dir: join(work, "cuts") });
  list(cuts);
  const broken = cuts.filter(({ isBroken }) => isBroken);
  if (broken.length > 0)
    throw new Error(`Over its budget, or not the same twice: ${broken.map(({ name }) => name).join(", ")}.`);
  const real = cuts.filter(({ isReal }) => isReal);
  const own = real.filter((cut) => cut.own !== null);
  const unbiased = cuts.filter(({ isReal }) => !isReal);
  return [
    evidenceRow("all real compactions, at the size of the own summary or 12,000 characters", real, "tail"),
    evidenceRow("those whose own summary can be read, at its size", own, "own"),
    evidenceRow("cuts at 60 % of sessions that were not compacted, 12,000 characters", unbiased, "tail"),
    outputsRow(cuts),
    await saidRow(work),
    keptRow("all real compactions", real),
    keptRow("cuts at 60 %", unbiased),
    ...(await speedRows(work, runs)),
  ];
}

const f = (value: number | null): string => (value === null || Number.isNaN(value) ? "–" : value.toFixed(2));
const KEYS = ["entity", "contexted", "fromOutputs", "filesModified", "userMessages", "commands", "errors"] as const;
type Key = (typeof KEYS)[number];

const mean = (cuts: readonly CutResult[], of: (cut: CutResult) => Evidence | null, key: Key): number => {
  const values = cuts.map((cut) => of(cut)?.[key]).filter((value) => value !== null && value !== undefined);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
};

function list(cuts: readonly CutResult[]): void {
  const scores = (evidence: Evidence | null): string =>
    evidence === null ? "" : KEYS.map((key) => `${key} ${f(evidence[key])}`).join(", ");
  for (const cut of cuts) {
    console.error(`${cut.name}: ${cut.chars} characters to ${cut.size}, ${cut.needed} names needed`);
    for (const who of ["own", "tail", "bag", "ours", "twice"] as const)
      if (cut[who] !== null) console.error(`  ${who.padEnd(5)} ${scores(cut[who])}`);
  }
}

/** Judged against the raw tail or against the agent's own summary; the other is told beside it where it can be had. */
function evidenceRow(where: string, cuts: readonly CutResult[], rival: "tail" | "own"): Row {
  const score = (who: "own" | "tail" | "bag" | "ours", key: Key = "contexted"): number =>
    mean(cuts, (cut) => cut[who], key);
  const hasOwn = rival === "own";
  const [ours, tail, bag] = [score("ours"), score("tail"), score("bag")];
  const names = cuts.reduce((sum, { needed }) => sum + needed, 0);
  return {
    what: `evidence needed later, kept in context: ${where}; n = ${cuts.length}, ${names} names`,
    measured: `${f(ours)} (names alone ${f(score("ours", "entity"))})`,
    against: `${hasOwn ? `the agent's own ${f(score("own"))}, ` : ""}raw tail ${f(tail)}, bag of names ${f(bag)}`,
    ratio: `${times(ours / tail)} raw tail`,
    target: `${hasOwn ? "above the own" : `≥ ${TARGET.overTail} × raw tail`}; bag < ${TARGET.bag}`,
    verdict: verdict(cuts.length > 0, hasOwn ? ours > score("own") : ours >= TARGET.overTail * tail, bag < TARGET.bag),
  };
}

async function saidRow(work: string): Promise<Row> {
  const { logs, kept } = await runTask<SaidResult>("compaction-said", { paths: [], dir: join(work, "said") });
  return {
    what: `goal, constraints and the newest three messages kept; ${logs} logs of 1 to 2,000 turns, budgets from 1,000`,
    measured: `${((100 * kept) / logs).toFixed(1)} %`,
    against: "",
    ratio: "",
    target: "100 %",
    verdict: verdict(kept === logs),
  };
}

/** Names that an agent needed and that nobody had said but a tool. */
function outputsRow(cuts: readonly CutResult[]): Row {
  const own = cuts.filter((cut) => cut.ours.fromOutputs !== null);
  const ours = mean(own, (cut) => cut.ours, "fromOutputs");
  return {
    what: `names needed later that only tool outputs had said; n = ${own.length}`,
    measured: `${f(ours)}; at twice the size ${f(mean(own, (cut) => cut.twice, "fromOutputs"))}`,
    against: `raw tail ${f(mean(own, (cut) => cut.tail, "fromOutputs"))}`,
    ratio: "",
    target: `≥ ${TARGET.fromOutputs}`,
    verdict: verdict(own.length > 0, ours >= TARGET.fromOutputs),
  };
}

function keptRow(where: string, cuts: readonly CutResult[]): Row {
  const keys = Object.keys(TARGET.once) as (keyof typeof TARGET.once)[];
  const result = (of: (cut: CutResult) => Evidence | null): string =>
    keys.map((key) => f(mean(cuts, of, key))).join(" / ");
  const wanted = (targets: Readonly<Record<string, number>>): string => keys.map((key) => targets[key]).join(" / ");
  const hasOwn = cuts.some((cut) => cut.own !== null);
  return {
    what: `files modified / user messages / commands / error lines kept: ${where}; n = ${cuts.length}`,
    measured: `${result((cut) => cut.ours)}; at twice the size ${result((cut) => cut.twice)}`,
    against: `${hasOwn ? `the agent's own ${result((cut) => cut.own)}, ` : ""}raw tail ${result((cut) => cut.tail)}`,
    ratio: "",
    target: `≥ ${wanted(TARGET.once)}; ${wanted(TARGET.twice)}`,
    verdict: verdict(
      ...keys.map((key) => mean(cuts, (cut) => cut.ours, key) >= TARGET.once[key]),
      ...keys.map((key) => mean(cuts, (cut) => cut.twice, key) >= TARGET.twice[key]),
    ),
  };
}

async function speedRows(work: string, runs: number): Promise<Row[]> {
  const result = await runTask<ExtractSpeed>("compaction-speed", {
    paths: [DATA],
    dir: join(work, "speed"),
    count: Math.max(runs, 5),
  });
  const [small, large] = [median(result.ms), median(result.largeMs)];
  const ratio = large / result.largeChars / (small / result.chars);
  const count = (chars: number): string => chars.toLocaleString("en");
  return [
    {
      what: `extractive summary of ${count(result.chars)} characters`,
      measured: `median ${ms(small)}, the first in a new process ${ms(result.coldMs)}`,
      against: "",
      ratio: "",
      target: `≤ ${TARGET.ms} ms`,
      verdict: verdict(small <= TARGET.ms, result.coldMs <= TARGET.ms),
    },
    {
      what: `time per character at ${count(result.largeChars)} characters against ${count(result.chars)}`,
      measured: `median ${ms(large)}`,
      against: `median ${ms(small)}`,
      ratio: times(ratio),
      target: `≤ ${TARGET.perChar} ×`,
      verdict: verdict(ratio <= TARGET.perChar, result.largeChars >= 9 * result.chars),
    },
  ];
}
