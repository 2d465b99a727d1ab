// What ccusage says of the collected Claude Code sessions, beside what we say: equal to the cent, or each difference by its
// cause. A cause's dollars are worked out from the files; what is left over between the two is unexplained, and fails.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { systemHost } from "#bin/system-host.ts";
import { billedCalls, type BilledCall } from "./billed-calls.ts";

export const DATA = join(import.meta.dirname, "../../../shared/data/claude-code");
export const hasData = (): boolean => existsSync(DATA);

/** Half a cent: what a sum of rounded prices may differ by. */
export const CENT = 0.005;

/** Why ccusage 18.0.11 says less. Each is checked: its dollars are of the calls that it names. */
export const CAUSES = {
  "no price": "its own price table, from before these models, has none for them",
  "first line": "it counts what an answer's first line says, where the stream had begun",
  "one hour": "it prices writes for an hour like those for five minutes",
  progress: "it does not read progress lines",
} as const;
export type Cause = keyof typeof CAUSES;

export type Comparison = {
  readonly name: string;
  readonly ours: number;
  readonly theirs: number;
  readonly causes: ReadonlyMap<Cause, number>;
  /** Ours, less theirs and all causes. */
  readonly left: number;
  /** Tokens of the files that ccusage does not count alike, where outputs are those of first lines. */
  readonly tokensLeft: number;
};

type Theirs = {
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly inputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheCreationTokens: number;
    readonly outputTokens: number;
    readonly totalCost: number;
    readonly modelBreakdowns: readonly { readonly modelName: string; readonly cost: number }[];
  }[];
};

/** Rows of all sessions; those that share calls are one row, for the two give a shared call to different ones. */
export async function compareWithCcusage(data = DATA): Promise<Comparison[]> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-ccusage-"));
  try {
    const files = readdirSync(data, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .toSorted();
    const theirs = runCcusage(join(dir, "home"), data, files);
    const archive = await openArchive({ dir: join(dir, "archive"), host: systemHost() });
    try {
      await importPaths(archive, [data]);
      const ids = archive.sqlite.prepare("SELECT id FROM sessions").pluck().all() as string[];
      const sessions = await Promise.all(ids.map((id) => showSession(archive, id)));
      const calls = files.map((file) => billedCalls(join(data, file)));
      return groupsOf(calls).map((group) =>
        compare(
          files[group[0]!]! + (group.length > 1 ? ` and ${group.length - 1} that share its calls` : ""),
          sessions.filter(({ source }) => group.some((i) => source?.path === join(data, files[i]!))),
          group.map((i) => theirs.sessions.find(({ sessionId }) => sessionId === folderOf(i))),
          group.map((i) => calls[i]!),
          archive.host.prices,
        ),
      );
    } finally {
      await closeArchive(archive);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const folderOf = (i: number): string => `f${String(i).padStart(3, "0")}`;

/** Its report by session, with its own prices and without the network. A session is a folder to it. */
function runCcusage(home: string, data: string, files: readonly string[]): Theirs {
  copyToCcusage(home, data, files);
  return askCcusage<Theirs>(home, "session");
}

export function copyToCcusage(home: string, data: string, files: readonly string[]): void {
  for (const [i, file] of files.entries()) {
    const path = join(home, ".claude", "projects", "p", folderOf(i), "log.jsonl");
    mkdirSync(dirname(path), { recursive: true });
    cpSync(join(data, file), path);
  }
}

export function askCcusage<Answer>(home: string, report: "daily" | "session"): Answer {
  const program = createRequire(import.meta.url).resolve("ccusage");
  const args = [report, "--json", "--offline", "--mode", "calculate", "--timezone", "UTC"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: join(home, ".claude") },
  });
  if (status !== 0) throw new Error(`ccusage ended with ${status}: ${stderr.slice(-500)}`);
  return JSON.parse(stdout) as Answer;
}

/** Files by the calls that they share. */
function groupsOf(calls: readonly ReadonlyMap<string, BilledCall>[]): number[][] {
  const first = new Map<string, number>();
  const groupOf = calls.map((_, i) => i);
  const rootOf = (i: number): number => (groupOf[i] === i ? i : rootOf(groupOf[i]!));
  for (const [i, map] of calls.entries())
    for (const key of map.keys()) {
      const other = first.get(key);
      if (other === undefined) first.set(key, i);
      else groupOf[rootOf(i)] = rootOf(other);
    }
  const groups = Map.groupBy(calls.keys(), rootOf);
  return [...groups.values()];
}

function compare(
  name: string,
  sessions: readonly SessionSummary[],
  rows: readonly (Theirs["sessions"][number] | undefined)[],
  files: readonly ReadonlyMap<string, BilledCall>[],
  prices: PriceTable,
): Comparison {
  const ours = sum(sessions.map(({ cost }) => cost.usd ?? 0));
  const theirs = sum(rows.map((row) => row?.totalCost ?? 0));
  const priced = new Set(
    rows.flatMap((row) => row?.modelBreakdowns.filter(({ cost }) => cost > 0).map(({ modelName }) => modelName) ?? []),
  );
  const calls = callsOnce(files);
  const causes = causesOf(calls.values(), priced, prices);
  const left = ours - theirs - sum([...causes.values()]);
  const own = [...calls.values()].filter(({ from }) => from === null);
  const tokens = [
    [sum(own.map(({ usage }) => usage.inputUncached)), sum(rows.map((row) => row?.inputTokens ?? 0))],
    [sum(own.map(({ usage }) => usage.cacheRead)), sum(rows.map((row) => row?.cacheReadTokens ?? 0))],
    [sum(own.map(({ usage }) => usage.cacheWrite)), sum(rows.map((row) => row?.cacheCreationTokens ?? 0))],
    [sum(own.map(({ firstOutput }) => firstOutput)), sum(rows.map((row) => row?.outputTokens ?? 0))],
  ] as const;
  return { name, ours, theirs, causes, left, tokensLeft: sum(tokens.map(([a, b]) => Math.abs(a - b))) };
}

/** Files that hold a call hold the same lines of it, where it is their own and not a sub-agent's progress. */
export function callsOnce(files: readonly ReadonlyMap<string, BilledCall>[]): Map<string, BilledCall> {
  const all = files.flatMap((map) => [...map]);
  return new Map([...all.filter(([, { from }]) => from !== null), ...all.filter(([, { from }]) => from === null)]);
}

/** What ccusage leaves out of these calls, by cause. `priced`: models that it has a price for. */
export function causesOf(
  calls: Iterable<BilledCall>,
  priced: ReadonlySet<string>,
  prices: PriceTable,
): ReadonlyMap<Cause, number> {
  const causes = new Map<Cause, number>();
  const add = (cause: Cause, usd: number): void => {
    if (Math.abs(usd) > 1e-9) causes.set(cause, (causes.get(cause) ?? 0) + usd);
  };
  for (const call of calls) {
    const rates = prices.rates(call.model, call.usage, call.at);
    if (rates === null) continue;
    const { inputUncached, cacheRead, cacheWrite, cacheWrite1h, output } = call.usage;
    const tokens =
      inputUncached * rates.uncached +
      cacheRead * rates.read +
      (cacheWrite - cacheWrite1h) * rates.write +
      cacheWrite1h * rates.write1h;
    if (call.from === "progress") add("progress", tokens + output * rates.output);
    else if (!priced.has(call.model)) add("no price", tokens + output * rates.output);
    else {
      add("first line", (output - call.firstOutput) * rates.output);
      add("one hour", cacheWrite1h * (rates.write1h - rates.write));
    }
  }
  return causes;
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

export const isExplained = ({ left, tokensLeft }: Comparison): boolean => Math.abs(left) < CENT && tokensLeft === 0;

/** The table, and how many rows of it are not explained. */
export async function comparisonRows(): Promise<{ lines: string[]; unexplained: number }> {
  const rows = await compareWithCcusage();
  const usd = (value: number): string => value.toFixed(2).padStart(8);
  const total = {
    ours: sum(rows.map(({ ours }) => ours)),
    theirs: sum(rows.map(({ theirs }) => theirs)),
  };
  const lines = [
    "    ours  ccusage  session, and why the two differ",
    ...rows.flatMap((row) => [
      `${usd(row.ours)} ${usd(row.theirs)}  ${row.name}${isExplained(row) ? "" : `  NOT EXPLAINED: $${row.left.toFixed(4)}, ${row.tokensLeft} tokens`}`,
      ...[...row.causes]
        .filter(([, dollars]) => Math.abs(dollars) >= 0.0001)
        .map(([cause, dollars]) => `                   ${dollars.toFixed(4).padStart(9)} ${cause}: ${CAUSES[cause]}`),
    ]),
    `${usd(total.ours)} ${usd(total.theirs)}  all of them`,
  ];
  return { lines, unexplained: rows.filter((row) => !isExplained(row)).length };
}
