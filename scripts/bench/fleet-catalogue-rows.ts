// How long a node takes to answer from a catalogue of a million sessions, asked over HTTP, and how much longer than from one of ten
// thousand.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASKS, type Ask } from "./fleet-asks.ts";
import { fillFleet } from "./fleet-fill.ts";
import { askNode, type BenchServices } from "./fleet-services.ts";
import { ms, times, verdict, type Row } from "./table.ts";

type Kind = {
  readonly kind: Ask["kind"];
  readonly what: string;
  readonly targetMs: number;
  /** What is answered grows with the catalogue: how much slower that is says nothing. */
  readonly isAsLong?: boolean;
};
const KINDS: readonly Kind[] = [
  { kind: "list", what: "a page of the list, each of 18 filters with each of 10 columns both ways", targetMs: 150 },
  { kind: "first", what: "the first page, with sums", targetMs: 150 },
  { kind: "words", what: "a list of what words or a field find, with sums", targetMs: 1500, isAsLong: true },
  { kind: "usage", what: "usage by day and model", targetMs: 500 },
  { kind: "groups", what: "usage of a month by folder, person, sender or tool", targetMs: 1500, isAsLong: true },
  { kind: "search", what: "search, 16 queries by rank and by time", targetMs: 300 },
  { kind: "within", what: "search within sessions of a folder, agent or model", targetMs: 300 },
];
const SMALL = 10_000;
/** Each is asked so often, one at a time, after once that is not counted. */
const TURNS = 3;

type Took = ReadonlyMap<Ask, readonly number[]>;

export async function catalogueRows(services: BenchServices, work: string, sessions: number): Promise<Row[]> {
  const small = await askAll(services, SMALL);
  const large = await askAll(services, sessions);
  writeFileSync(join(work, "asks.json"), JSON.stringify([...large].map(([{ name }, took]) => ({ name, took }))));
  return KINDS.map(({ kind, what, targetMs, isAsLong = false }) => {
    const [few, many] = [p95(small, kind), p95(large, kind)];
    const [slowest, most] = slowestOf(large, kind);
    const [best, bestFew] = [bestP95(large, kind), bestP95(small, kind)];
    console.error(`${kind}: the slowest ask is ${slowest}, ${ms(most)}`);
    return {
      what: `${what}: p95 of ${[...large.keys()].filter((ask) => ask.kind === kind).length} asks, ${sessions.toLocaleString("en")} sessions`,
      measured: `${ms(many)}; ${ms(best)} where each ask's best of ${TURNS} counts; slowest ${ms(most)} (${slowest})`,
      against: `${ms(few)}; ${ms(bestFew)} of ${SMALL.toLocaleString("en")}`,
      ratio: times(many / few),
      target: `≤ ${targetMs} ms${isAsLong ? "" : `, ≤ 2 × of ${SMALL.toLocaleString("en")}`}`,
      verdict: verdict(many <= targetMs, isAsLong || many / few <= 2),
    };
  });
}

async function askAll(services: BenchServices, sessions: number): Promise<Took> {
  const bench = await services.fleet(`filled_${sessions}`);
  const [there] = await bench.fleet.sql`SELECT 1 FROM sessions LIMIT 1`;
  if (there === undefined)
    await fillFleet(bench.fleet, { sessions, now: Date.now(), note: (text) => console.error(`  ${text}`) });
  const node = await bench.node("node");
  const took = new Map<Ask, number[]>();
  for (let turn = 0; turn <= TURNS; turn++)
    for (const ask of ASKS) {
      const { ms: time } = await askNode(node, ask.path);
      if (turn > 0) took.set(ask, [...(took.get(ask) ?? []), time]);
    }
  await bench.close();
  return took;
}

function p95(took: Took, kind: Ask["kind"]): number {
  const all = [...took].flatMap(([ask, times]) => (ask.kind === kind ? times : [])).toSorted((a, b) => a - b);
  return all[Math.floor(all.length * 0.95)]!;
}

/** The same of the best of each ask's turns: what else runs on a machine is in the other one too. */
function bestP95(took: Took, kind: Ask["kind"]): number {
  const all = [...took].flatMap(([ask, times]) => (ask.kind === kind ? [Math.min(...times)] : []));
  return all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)]!;
}

/** By the median of its turns. */
function slowestOf(took: Took, kind: Ask["kind"]): readonly [name: string, ms: number] {
  const all = [...took].flatMap(([ask, times]): [string, number][] =>
    ask.kind === kind ? [[ask.name, times.toSorted((a, b) => a - b)[times.length >> 1]!]] : [],
  );
  return all.toSorted((a, b) => b[1] - a[1])[0]!;
}
