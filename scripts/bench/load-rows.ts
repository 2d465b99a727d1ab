// Rows about why a context blew up: whether the ledger adds up, how wrong its estimates are, whether it names the culprit,
// and how long the answer takes. Figures of single sessions go to stderr, so that the table stays a table.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { PlantedRates } from "#lib/kernel/load/testing-planted.ts";
import { addGrowth, NO_GROWTH, type Growth } from "./load-growth.ts";
import { archiveRows } from "./load-archive-rows.ts";
import type { LedgerResult, SpeedResult } from "./load-tasks.ts";
import { ROOT, runPlimsoll, runTask } from "./measure-run.ts";
import { startServer } from "./bench-server.ts";
import { mb, median, ms, skipped, times, verdict, type Row } from "./table.ts";

const DATA = join(ROOT, "..", "shared", "data");
const COLLECTED = ["claude-code", "codex"].map((name) => join(DATA, name));

/** Sets that are judged: how far the estimates may be off, as a share of the growth and of what characters ÷ 4 miss. */
const SETS = [
  { set: "claude-code/entire-cli", most: 0.09, ofChars: 0.5, unattributed: 0.03 },
  { set: "claude-code/spotter", most: 0.09, ofChars: 0.5, unattributed: 0.03 },
  { set: "claude-code/oh-my-posh", most: 0.09, ofChars: 0.5, unattributed: null },
  { set: "codex/agentv", most: 0.09, ofChars: 0.6, unattributed: null },
] as const;

const PLANTED = { sessions: 1400, seed: 40_000 } as const;
/** Sessions of about 4 MB. */
const ABOUT = { least: 3.75e6, most: 4.25e6 } as const;
const LEAST_RUNS = 20;

export async function loadRows(work: string, runs: number): Promise<Row[]> {
  const isHere = COLLECTED.every((path) => existsSync(path));
  if (!isHere) return [...absent(), await plantedRow()];
  const result = await runTask<LedgerResult[]>("load-ledgers", { paths: COLLECTED, dir: join(work, "ledgers") });
  list(result);
  return [
    sumRow(result),
    unattributedRow(result),
    ...SETS.map((one) => growthRow(result, one)),
    await plantedRow(),
    clearingRow(result),
    ...(await speedRows(work, runs)),
    ...(await archiveRows(work, COLLECTED)),
  ];
}

const absent = (): Row[] =>
  ["ledgers of the collected sessions", "import to verdict", "verdicts of a large archive"].map((what) =>
    skipped(what, "", "the collected sessions are not beside this repository"),
  );

const setOf = ({ path }: LedgerResult): string => relative(DATA, path).split(sep).slice(0, 2).join("/");
const inSet = (result: readonly LedgerResult[], set: string): LedgerResult[] =>
  result.filter((one) => setOf(one) === set);
const sum = <T>(rows: readonly T[], of: (row: T) => number): number => rows.reduce((all, row) => all + of(row), 0);
const percent = (share: number): string => (Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "–");
const count = (value: number): string => value.toLocaleString("en");
const nameOf = (set: string): string => set.slice(set.indexOf("/") + 1);

function list(result: readonly LedgerResult[]): void {
  console.error(
    "growth missed by constants of other lineages | shipped | characters ÷ 4; unattributed, each as positive",
  );
  for (const one of result.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const { transitions, grown, fitted, shipped, charsOver4 } = one.growth;
    if (transitions === 0) continue;
    const errors = [fitted, shipped, charsOver4].map((error) => percent(error / grown).padStart(8)).join(" |");
    const over = [one.unattributed, one.moved]
      .map((tokens) => percent(tokens / one.promptTokens).padStart(7))
      .join(",");
    console.error(
      `${errors};${over}  ${String(transitions).padStart(4)} transitions  ${setOf(one)}/${basename(one.path)}`,
    );
  }
}

function sumRow(result: readonly LedgerResult[]): Row {
  const reported = sum(result, (one) => one.reported);
  const missed = sum(result, (one) => one.missed);
  const wrong = result.filter((one) => one.missed > 0).length;
  return {
    what: "ledger: sum = reported, by its parts and by its items",
    measured: `${count(reported - missed)} of ${count(reported)} calls, ${result.length - wrong} of ${result.length} sessions`,
    against: "",
    ratio: percent((reported - missed) / reported),
    target: "100 %",
    verdict: verdict(reported > 0, missed === 0),
  };
}

function unattributedRow(result: readonly LedgerResult[]): Row {
  const shares = SETS.map((one) => {
    const own = inSet(result, one.set);
    const prompts = sum(own, ({ promptTokens }) => promptTokens);
    return {
      ...one,
      share: sum(own, ({ unattributed }) => unattributed) / prompts,
      moved: sum(own, ({ moved }) => moved) / prompts,
    };
  });
  return {
    what: "tokens left unattributed, of all prompt tokens",
    measured: shares.map(({ set, share }) => `${nameOf(set)} ${percent(share)}`).join(", "),
    against: `each as positive: ${shares.map(({ moved }) => percent(moved)).join(", ")}`,
    ratio: "",
    target: "≤ 3 % on the first two",
    verdict: verdict(...shares.map(({ share, unattributed }) => unattributed === null || share <= unattributed)),
  };
}

function growthRow(result: readonly LedgerResult[], { set, most, ofChars }: (typeof SETS)[number]): Row {
  const own = inSet(result, set).filter(({ growth }) => growth.transitions > 0);
  const all = own.reduce<Growth>((growth, one) => addGrowth(growth, one.growth), NO_GROWTH);
  const error = all.fitted / all.grown;
  const chars = all.charsOver4 / all.grown;
  const middle = own.length === 0 ? Number.NaN : median(own.map(({ growth }) => growth.fitted / growth.grown));
  return {
    what: `growth missed before reconciliation, ${nameOf(set)}: ${count(all.transitions)} transitions, ${own.length} sessions`,
    measured: `${percent(error)} fitted without the lineage, median of sessions ${percent(middle)}; shipped ${percent(all.shipped / all.grown)}`,
    against: `${percent(chars)} by characters ÷ 4`,
    ratio: times(error / chars),
    target: `≤ ${most * 100} %, ≤ ${ofChars}×`,
    verdict: verdict(error <= most, error <= ofChars * chars),
  };
}

async function plantedRow(): Promise<Row> {
  const { sessions, seed } = PLANTED;
  const { planted, top1, top3, healthy, quiet, byDetector } = await runTask<PlantedRates>("load-planted", {
    paths: [],
    dir: "",
    count: sessions,
    seed,
  });
  for (const [detector, one] of Object.entries(byDetector))
    console.error(`${detector}: first in ${one.top1}, among three in ${one.top3} of ${one.planted}`);
  return {
    what: `planted culprits: ${count(planted)} sessions of ${Object.keys(byDetector).length} detectors, ${count(healthy)} healthy`,
    measured: `first ${percent(top1)}, among three ${percent(top3)}; nothing named in ${percent(quiet)} of the healthy`,
    against: "",
    ratio: "",
    target: "≥ 95 %, 100 %, ≥ 95 %",
    verdict: verdict(planted >= 500, top1 >= 0.95, top3 === 1, quiet >= 0.95),
  };
}

function clearingRow(result: readonly LedgerResult[]): Row {
  const what = "what if against the agent's own clearing of results";
  const target = "printed, each";
  const all = result.flatMap(({ clearings }) => clearings);
  if (all.length === 0)
    return skipped(what, target, "no collected session has one; a handwritten one: session-ledger.test.ts");
  for (const one of all)
    console.error(
      `cleared before call ${one.call}: what if predicts ${one.replayed}, the ledger had ${one.predicted}, the prompt fell by ${one.reported}, the agent said ${one.agentSaid}`,
    );
  const known = all.filter((one) => one.reported !== null && one.reported > 0);
  const off = (said: (one: (typeof all)[number]) => number | null): string =>
    percent(sum(known, (one) => Math.abs((said(one) ?? 0) / one.reported! - 1)) / known.length);
  return {
    what,
    measured: `${all.length} clearings, ${known.length} to compare: what if off by ${off((one) => one.replayed)}, the ledger by ${off((one) => one.predicted)}`,
    against: `${off((one) => one.agentSaid)} by the agent's own figure`,
    ratio: "",
    target,
    verdict: "ok",
  };
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!;

/** Each speed for every collected session of about 4 MB; the slowest is judged. */
async function speedRows(work: string, runs: number): Promise<Row[]> {
  const files = COLLECTED.flatMap((path) =>
    (readdirSync(path, { recursive: true }) as string[])
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(path, name)),
  ).filter((path) => statSync(path).size >= ABOUT.least && statSync(path).size <= ABOUT.most);
  const target = "≤ 1 s p95";
  if (files.length === 0) return [skipped("import to verdict", target, "no collected session has about 4 MB")];
  const fresh: number[][] = [];
  const kept: number[][] = [];
  const slider: number[][] = [];
  const door: number[][] = [];
  const cold: number[] = [];
  const repeats = Math.max(runs, LEAST_RUNS);
  for (const [i, path] of files.entries()) {
    const dir = join(work, `speed-${i}`);
    const input = { paths: [path], count: repeats };
    fresh.push((await runTask<SpeedResult>("load-import", { ...input, dir: join(dir, "fresh") })).ms as number[]);
    const { ms: took, sessionId } = await runTask<SpeedResult>("load-archive", { ...input, dir: join(dir, "kept") });
    kept.push([...took]);
    slider.push([...(await runTask<SpeedResult>("load-what-if", { ...input, dir: join(dir, "kept") })).ms]);
    door.push(await throughDoor(dir, sessionId, repeats));
    const archive = ["--archive", join(dir, "cold")];
    const imported = await runPlimsoll(["import", path, ...archive]);
    const shown = await runPlimsoll(["load", sessionId, ...archive]);
    cold.push(imported.ms + shown.ms);
    console.error(
      `${relative(DATA, path)}: import to verdict ${range(fresh.at(-1)!)}, from the archive ${range(took)}, what if ${range(slider.at(-1)!)}, through its door ${range(door.at(-1)!)}`,
    );
  }
  const sizes = files.map((path) => mb(statSync(path).size)).join(", ");
  const row = (what: string, took: readonly (readonly number[])[], most: number, against: string): Row => ({
    what: `${what}, sessions of ${sizes}, ${repeats} runs each`,
    measured: `p95 ${took.map((one) => ms(p95(one))).join(", ")}; medians ${took.map((one) => ms(median(one))).join(", ")}`,
    against,
    ratio: "",
    target: `≤ ${most >= 1000 ? `${most / 1000} s` : `${most} ms`} p95`,
    verdict: verdict(...took.map((one) => p95(one) <= most)),
  });
  return [
    row("import to verdict, all texts counted", fresh, 1000, `${cold.map(ms).join(", ")} by two cold commands`),
    row("verdict from the archive, opened anew", kept, 300, ""),
    row(
      "what if: slider to curve, over HTTP",
      door,
      100,
      `p95 ${slider.map((one) => ms(p95(one))).join(", ")} without HTTP`,
    ),
  ];
}

/** The same thresholds as a page asks for them: one answer at a time, the ledger in the server's memory as the page left it. */
async function throughDoor(dir: string, sessionId: string, repeats: number): Promise<number[]> {
  const server = await startServer(dir, join(dir, "kept"));
  try {
    const path = `/api/sessions/${sessionId}`;
    await server.ask("GET", `${path}/ledger`);
    const took: number[] = [];
    for (let run = 0; run < repeats; run++)
      took.push((await server.ask("GET", `${path}/whatif?offload=${250 * (run + 1)}`)).ms);
    return took;
  } finally {
    await server.stop();
  }
}

const range = (took: readonly number[]): string =>
  `${ms(Math.min(...took))} to ${ms(Math.max(...took))}, median ${ms(median(took))}`;
