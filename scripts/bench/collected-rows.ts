// A row for each agent whose sessions were collected: their own bytes, again and again under other ids where they are few.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_FORMATS } from "#lib/archive/import/known-formats.ts";
import { collectedCopies } from "./collected-copies.ts";
import { inTurns, MOST, PEAK } from "./import-turns.ts";
import { ROOT } from "./measure-run.ts";
import { mb, ms, skipped, times, verdict, type Row } from "./table.ts";

const COLLECTED = join(ROOT, "..", "shared", "data");
/** Folders by their format, of those with half a megabyte or more. */
const FOLDERS: Readonly<Record<string, string>> = {
  "claude-code": "claude-code",
  codex: "codex",
  pi: "pi",
  copilot: "copilot-cli",
};
const LEAST_BYTES = 16e6;

export async function collectedRows(work: string, runs: number, part: string | null): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [id, folder] of Object.entries(FOLDERS).filter(([one]) => part === null || one === part)) {
    const label = KNOWN_FORMATS.find((format) => format.id === id)!.label;
    const what = `import of collected sessions of ${label}`;
    const target = `≤ ${MOST}×; ≤ ${mb(PEAK)}`;
    const from = join(COLLECTED, folder);
    if (!existsSync(from)) {
      rows.push(skipped(what, target, "the collected sessions are not beside this repository"));
      continue;
    }
    const to = join(work, `${id}-collected`);
    const count = collectedCopies(from, join(to, "files"), LEAST_BYTES);
    const { bytes, events, floor, took, peak } = await inTurns({
      floor: "parse",
      paths: [join(to, "files")],
      runs,
      dir: join(to, "archive"),
    });
    const row: Row = {
      what: `${what}: ${mb(bytes)}${count === 1 ? "" : `, ${count} times under other ids`}, processor time; peak memory`,
      measured: `${ms(took)}; ${mb(peak)}`,
      against: `read and JSON.parse; ${Math.round(bytes / events)} bytes an event`,
      ratio: times(took / floor),
      target,
      verdict: verdict(took <= MOST * floor, peak <= PEAK),
    };
    console.error(`${label}, collected ${row.ratio} ${row.measured}`);
    rows.push(row);
  }
  return rows;
}
