// The totals of other tools beside ours on the collected Claude Code sessions, day by day. They are not among the packages here: CCUSAGE
// names the file of ccusage 20, CODEBURN that of codeburn; `npm run accounting` prints the table where one of them is named.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { usageReport, type TableRequest } from "#lib/archive/load/usage-report.ts";
import { usageQuery } from "#lib/wire/usage-schema.ts";
import { systemHost } from "#bin/system-host.ts";
import { DATA, sum } from "./ccusage.ts";

type Totals = { readonly usd: number; readonly tokens: number };
type Days = ReadonlyMap<string, Totals>;

type Tool = { readonly name: string; readonly program: string; read(program: string, home: string): Days };

const TOOLS: readonly Omit<Tool, "program">[] = [
  { name: "ccusage", read: readCcusage },
  { name: "codeburn", read: readCodeburn },
];

/** Lines of the table; empty where no tool is named. */
export async function otherToolLines(env: NodeJS.ProcessEnv = process.env, data = DATA): Promise<string[]> {
  const tools = TOOLS.flatMap((tool): Tool[] => {
    const program = env[tool.name.toUpperCase()];
    return program === undefined || program === "" ? [] : [{ ...tool, program }];
  });
  if (tools.length === 0) return [];
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-totals-"));
  try {
    const home = join(dir, "home");
    copyTo(home, data);
    const columns = [
      { name: "plimsoll", days: await ourDays(join(dir, "archive"), data) },
      ...tools.map(({ name, program, read }) => ({ name, days: read(program, home) })),
    ];
    const dates = [...new Set(columns.flatMap(({ days }) => [...days.keys()]))].toSorted();
    const usd = (value: number | undefined): string => (value === undefined ? "–" : value.toFixed(2)).padStart(10);
    const whole = (pick: (one: Totals) => number): number[] =>
      columns.map(({ days }) => sum([...days.values()].map(pick)));
    return [
      `${columns.map(({ name }) => name.padStart(10)).join(" ")}  day, dollars`,
      ...dates.map((date) => `${columns.map(({ days }) => usd(days.get(date)?.usd)).join(" ")}  ${date}`),
      `${whole((one) => one.usd)
        .map(usd)
        .join(" ")}  all days`,
      `${whole((one) => one.tokens)
        .map((tokens) => tokens.toLocaleString("en").padStart(10))
        .join(" ")}  tokens`,
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A folder for each file: some of them have one name. */
function copyTo(home: string, data: string): void {
  const files = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  for (const [i, file] of files.toSorted().entries()) {
    const folder = join(home, ".claude", "projects", `f${String(i).padStart(3, "0")}`);
    mkdirSync(folder, { recursive: true });
    cpSync(join(data, file), join(folder, basename(file)));
  }
}

async function ourDays(dir: string, data: string): Promise<Days> {
  const archive = await openArchive({ dir, host: systemHost() });
  try {
    await importPaths(archive, [data]);
    const request = usageQuery.parse({ period: "daily", timezone: "UTC" }) as TableRequest;
    const { daily = [] } = await usageReport(archive, request);
    return new Map(daily.map((row) => [row.date!, { usd: row.totalCost, tokens: row.totalTokens }]));
  } finally {
    await closeArchive(archive);
  }
}

function run(program: string, args: readonly string[], home: string): string {
  const command = /\.[cm]?js$/.test(program) ? [process.execPath, program] : [program];
  const { status, stdout, stderr } = spawnSync(command[0]!, [...command.slice(1), ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env["PATH"], HOME: home, NODE_ENV: "production" },
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr.slice(-500)}`);
  return stdout;
}

function readCcusage(program: string, home: string): Days {
  const said = run(program, ["daily", "--json", "--offline", "--timezone", "UTC"], home);
  const { daily } = JSON.parse(said) as { daily: { period: string; totalCost: number; totalTokens: number }[] };
  return new Map(daily.map((row) => [row.period, { usd: row.totalCost, tokens: row.totalTokens }]));
}

type BurnDay = Readonly<Record<string, number>> & { readonly Date: string };

function readCodeburn(program: string, home: string): Days {
  const out = join(home, "codeburn.json");
  run(
    program,
    ["export", "-f", "json", "-o", out, "--from", "2020-01-01", "--to", "2035-01-01", "--timezone", "UTC"],
    home,
  );
  const { periods } = JSON.parse(readFileSync(out, "utf8")) as { periods: { daily: BurnDay[] }[] };
  const tokens = ["Input Tokens", "Output Tokens", "Cache Read Tokens", "Cache Write Tokens"];
  return new Map(
    (periods[0]?.daily ?? []).map((day) => [
      day.Date,
      { usd: day["Cost (USD)"]!, tokens: sum(tokens.map((name) => day[name] ?? 0)) },
    ]),
  );
}
