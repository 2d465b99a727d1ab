// Whether costs are right to the cent: hand-written cases with their figures, through the real import, and the totals of
// ccusage on the collected sessions beside ours (npm run accounting).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { systemHost } from "#bin/system-host.ts";
import { CASES, type Case, type Expected } from "./accounting/cases.ts";
import { dayLines } from "./accounting/ccusage-days.ts";
import { otherToolLines } from "./accounting/other-tools.ts";
import { comparisonRows, hasData } from "./accounting/ccusage.ts";

export type Row = { readonly name: string; readonly got: unknown; readonly want: unknown };

/** Dollars are compared to a millionth of a cent: the sums are of a few multiplications. */
export const isMet = ({ got, want }: Row): boolean =>
  typeof got === "number" && typeof want === "number" ? Math.abs(got - want) < 1e-8 : got === want;

/** Imports a case's files into an empty archive, and compares every session of it. */
export async function caseRows({ files, expected }: Case): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-accounting-"));
  try {
    const logs = join(dir, "logs");
    for (const [name, lines] of Object.entries(files)) {
      mkdirSync(dirname(join(logs, name)), { recursive: true });
      writeFileSync(join(logs, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    }
    const archive = await openArchive({ dir: join(dir, "archive"), host: systemHost() });
    try {
      const imported = await importPaths(archive, [logs]);
      const ids = imported.files.flatMap(({ sessions }) => sessions);
      const sessions = await Promise.all([...new Set(ids)].map((id) => showSession(archive, id)));
      const wanted = expected.map(({ session }) => session).toSorted();
      const found = sessions.map(sessionName).toSorted();
      return [
        { name: "sessions", got: found.join(", "), want: wanted.join(", ") },
        ...expected.flatMap((one) => {
          const session = sessions.find((other) => sessionName(other) === one.session);
          return session === undefined ? [] : sessionRows(session, one);
        }),
      ];
    } finally {
      await closeArchive(archive);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const sessionName = ({ nativeId }: SessionSummary): string => nativeId.slice(nativeId.indexOf(":") + 1);

function sessionRows({ modelCalls, cost, usage, from }: SessionSummary, want: Expected): Row[] {
  const short = want.session.replace(/^0{8}-0{4}-4000-8000-0*/, "");
  const rows: [string, unknown, unknown][] = [
    ["own calls", modelCalls.own, want.calls[0]],
    ["inherited calls", modelCalls.inherited, want.calls[1]],
    ["usd", cost.usd, want.usd],
    ["inherited usd", cost.inherited?.usd ?? 0, want.inheritedUsd ?? 0],
    ["reasons for ≥", cost.atLeast.length, want.atLeast ?? 0],
    ["calls without a price", cost.unpriced, want.unpriced ?? 0],
    ["web searches", usage.webSearches, want.webSearches ?? 0],
    ["from", from, want.from ?? null],
    ...(want.output === undefined ? [] : [["output", usage.output, want.output] as [string, unknown, unknown]]),
    ...(want.reasoning === undefined
      ? []
      : [["reasoning", usage.reasoning, want.reasoning] as [string, unknown, unknown]]),
  ];
  return rows.map(([name, got, wanted]) => ({ name: `${short} ${name}`, got, want: wanted }));
}

function print(title: string, rows: readonly Row[]): number {
  console.log(title);
  for (const row of rows)
    console.log(
      `  ${row.name.padEnd(44)} ${String(row.got).padStart(24)}  ${isMet(row) ? "met" : `NOT MET: want ${String(row.want)}`}`,
    );
  return rows.filter((row) => !isMet(row)).length;
}

async function main(): Promise<number> {
  let missed = 0;
  for (const one of CASES) missed += print(one.name, await caseRows(one));
  console.log(`${CASES.length} cases: ${missed === 0 ? "all met" : `${missed} figures not met`}.\n`);
  if (!hasData()) {
    console.error("There is no ../shared/data beside this repository: nothing to compare with ccusage.");
    return missed === 0 ? 0 : 1;
  }
  const { lines, unexplained } = await comparisonRows();
  const days = await dayLines();
  for (const line of [...lines, "", ...days.lines, "", ...(await otherToolLines())]) console.log(line);
  return missed + unexplained + days.unexplained === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
