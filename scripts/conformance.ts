// `npm run conformance`: every requirement of docs/conformance.md with the test that shows it. The tests are run; an id that
// the designs ask for and no row has, a test that is not there, one that fails or was skipped, and a row that no door leads to
// make the exit status 1.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { spawnSync } from "node:child_process";
import type { Requirement } from "./conformance-row.ts";
import { doorTrouble, hasDoor, modulesWithoutDoor, reachedByAny } from "./conformance-doors.ts";

export type { Requirement };

const ROOT = join(import.meta.dirname, "..");

/** Cases with values from the designs' own tests; their numbers have gaps. */
const CASES: readonly number[] = [
  ...[1, 2, 3, 4, 6, 8, 10, 11, 13, 14, 15, 17, 18, 20, 22, 23],
  ...[24, 25, 26, 27, 28, 29, 30, 32, 33, 35, 36, 37, 38, 39, 40, 41, 42, 44, 46, 47, 48, 49, 51, 53, 55],
  ...[57, 59, 60, 62, 64, 66, 67, 69, 70, 72, 73, 74, 76, 77, 78, 80, 82],
  ...[84, 85, 87, 88, 90, 92, 93, 94, 95, 97, 99, 101, 102],
];

/** What the designs ask for: artifacts, and the memory of an agent. */
export const REQUIRED: readonly string[] = [
  ...span("AG", 1, 25),
  ...span("SB", 1, 21),
  ...span("AB", 1, 42),
  ...span("AB", 50, 64),
  ...span("VC", 1, 15),
  ...span("OC", 1, 15),
  ...span("OC", 20, 28),
  ...span("X", 1, 22),
  ...span("INV", 1, 14),
  ...CASES.map((n) => `T-${n}`),
];

function span(name: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `${name}-${from + i}`);
}

/** The rows `| id | sentence | design | file > title | door |` of a page. */
export function readRequirements(markdown: string): Requirement[] {
  return markdown.split("\n").flatMap((line) => {
    const cells = /^\| ([A-Z]+-?\d+[a-z]?) \| (.+?) \| (.+?) \| `(.+?) > (.+)` \| `(.+)` \|$/.exec(line);
    if (cells === null) return [];
    const [id, sentence, design, file, title, door] = cells.slice(1) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    return [{ id, sentence, design, file, title: title.replaceAll("\\|", "|"), door }];
  });
}

/** Ids that are asked for and have no row. */
export const missingIds = (rows: readonly Requirement[]): string[] =>
  REQUIRED.filter((id) => !rows.some((row) => row.id === id));

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
};

/** Runs the test files once; the status of each test by `file > title`. */
function runTests(files: readonly string[]): Map<string, string> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-conformance-"));
  try {
    const output = join(dir, "report.json");
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    spawnSync(process.execPath, [vitest, "run", "--reporter=json", `--outputFile=${output}`, ...files], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const report = JSON.parse(readFileSync(output, "utf8")) as Report;
    const result = new Map<string, string>();
    for (const { name, assertionResults } of report.testResults)
      for (const { title, status } of assertionResults) {
        const key = `${relative(ROOT, name)} > ${title}`;
        // Of several with one title the worst counts.
        if (result.get(key) === undefined || status !== "passed") result.set(key, status);
      }
    return result;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const rows = readRequirements(readFileSync(join(ROOT, "docs", "conformance.md"), "utf8"));
  const result = runTests([...new Set(rows.map((row) => row.file))]);
  let met = 0;
  const any = reachedByAny();
  for (const row of rows) {
    const { id, sentence, file, title } = row;
    const status = result.get(`${file} > ${title}`) ?? "not there";
    const trouble = doorTrouble(row, any);
    const isMet = status === "passed" && trouble === null && hasDoor(row);
    if (isMet) met++;
    console.log(`${isMet ? "ok     " : status === "passed" ? "NO DOOR" : "MISSED "} ${id.padEnd(7)} ${sentence}`);
    if (trouble !== null) console.log(`        ${trouble}`);
    if (status !== "passed") console.log(`        ${file} > ${title}: ${status}`);
  }
  const missing = missingIds(rows);
  for (const id of missing) console.log(`MISSING ${id.padEnd(7)} no row of docs/conformance.md`);
  for (const path of modulesWithoutDoor()) console.log(`NO DOOR ${path}`);
  console.log(
    `\n${met} requirements met, ${rows.length - met} missed or without a door, ${missing.length} without a row`,
  );
  process.exitCode = met === rows.length && missing.length === 0 ? 0 : 1;
}
