// A session that was copied many times, as forks and sub-agents leave it: each file repeats all records of the first.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { runTask } from "./measure-run.ts";
import { ms, times, verdict, type Row } from "./table.ts";
import type { ImportResult } from "./tasks.ts";

const [FEW, MANY] = [100, 400];

/** Processor time of a copy among many, against one among few. */
export async function copyRows(work: string): Promise<Row[]> {
  const each: number[] = [];
  for (const count of [FEW, MANY]) {
    const folder = join(work, `copies-${count}`);
    const first = uuidOf(700, 1);
    const path = join(folder, `${first}.jsonl`);
    writeSession({ path, sessionId: first, seed: 700, bytes: 200_000 });
    const text = readFileSync(path, "utf8");
    for (let i = 1; i < count; i++) {
      const sessionId = uuidOf(700 + i, 1);
      const copy = join(folder, `${sessionId}.jsonl`);
      writeSession({ path: copy, sessionId, seed: 700 + i, bytes: 10_000 });
      writeFileSync(copy, text.replaceAll(first, sessionId) + readFileSync(copy, "utf8"));
    }
    const { cpuMs } = await runTask<ImportResult>("import", { paths: [folder], dir: join(work, `copies-a${count}`) });
    each.push(cpuMs / count);
    for (const name of [`copies-${count}`, `copies-a${count}`]) rmSync(join(work, name), { recursive: true });
  }
  const [few, many] = each as [number, number];
  return [
    {
      what: `a session of 200 kB and ${MANY - 1} copies that went on: import, processor time of each`,
      measured: ms(many),
      against: `${ms(few)} of ${FEW}`,
      ratio: times(many / few),
      target: "≤ 2×",
      verdict: verdict(many <= 2 * few),
    },
  ];
}
