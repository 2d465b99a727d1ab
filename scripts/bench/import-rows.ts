// Rows about getting sessions into an archive.
import { randomFillSync } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { ROOT, runPlimsoll, runTask, timeProgram } from "./measure-run.ts";
import { mb, median, ms, skipped, times, verdict, type Row } from "./table.ts";
import type { AppendResult, ImportResult, ParseResult, StoreResult } from "./tasks.ts";

const MB = 1e6;
const COLLECTED = ["claude-code", "codex"].map((name) => join(ROOT, "..", "shared", "data", name));

/** Collected sessions: the floor and the import take turns, so that a busy machine slows both. */
export async function importRows(work: string, runs: number): Promise<Row[]> {
  const what = "import of the collected sessions, durable";
  const targets = ["≤ 12×, ≥ 40 MB/s", "≤ 0.1×"] as const;
  if (!COLLECTED.every((path) => existsSync(path)))
    return [skipped(what, targets[0], "the collected sessions are not beside this repository")];
  const floors: ParseResult[] = [];
  const imports: ImportResult[] = [];
  for (let run = 0; run < runs; run++) {
    floors.push(await runTask<ParseResult>("parse", { paths: COLLECTED }));
    imports.push(await runTask<ImportResult>("import", { paths: COLLECTED, dir: join(work, `import-${run}`) }));
  }
  const floor = median(floors.map((result) => result.ms));
  const took = median(imports.map((result) => result.ms));
  const again = median(imports.map((result) => result.againMs));
  const { bytes } = floors[0]!;
  const speed = bytes / MB / (took / 1000);
  const cpu = median(imports.map((result) => result.cpuMs)) / median(floors.map((result) => result.cpuMs));
  const peak = Math.max(...imports.map((result) => result.peakBytes));
  return [
    {
      what: `${what} (${mb(bytes)})`,
      measured: `${ms(took)}, ${speed.toFixed(1)} MB/s, peak ${mb(peak)}`,
      against: `${ms(floor)} to read and JSON.parse`,
      ratio: `${times(took / floor)} (processor ${times(cpu)})`,
      target: targets[0],
      verdict: verdict(took <= 12 * floor, speed >= 40),
    },
    {
      what: "the same again, nothing changed",
      measured: ms(again),
      against: `${ms(took)} the first time`,
      ratio: times(again / took),
      target: targets[1],
      verdict: verdict(again <= 0.1 * took),
    },
  ];
}

/** What one appended line costs, in a small session and in a large one. */
export async function appendRows(work: string): Promise<Row[]> {
  const result: AppendResult[] = [];
  for (const [i, size] of [1 * MB, 100 * MB].entries()) {
    const sessionId = uuidOf(900 + i, 1);
    const path = join(work, `append-${i}`, `${sessionId}.jsonl`);
    writeSession({ path, sessionId, seed: 900 + i, bytes: size });
    result.push(
      await runTask<AppendResult>("append", {
        paths: [path],
        dir: join(work, `append-a${i}`),
        seed: 900 + i,
        sessionId,
      }),
    );
    rmSync(path);
  }
  const [small, large] = result.map((one) => median(one.ms)) as [number, number];
  return [
    {
      what: `one line appended to a session of 100 MB (${result[1]!.events.toLocaleString("en")} events)`,
      measured: `${ms(large)}, at most ${ms(Math.max(...result[1]!.ms))}`,
      against: `${ms(small)} in a session of 1 MB`,
      ratio: times(large / small),
      target: "≤ 50 ms, whatever the size",
      verdict: verdict(large <= 50, large <= 3 * small + 5),
    },
  ];
}

/** Many large sessions and one very large one, through the command line. */
export async function largeRows(work: string, isFull: boolean): Promise<Row[]> {
  const [manyBytes, count, oneBytes] = isFull ? [1000 * MB, 20, 1000 * MB] : [200 * MB, 10, 100 * MB];
  const folder = join(work, "large");
  for (let i = 0; i < count; i++) {
    const sessionId = uuidOf(500 + i, 1);
    writeSession({ path: join(folder, `${sessionId}.jsonl`), sessionId, seed: 500 + i, bytes: manyBytes / count });
  }
  const sessionId = uuidOf(499, 1);
  const one = join(work, "largest", `${sessionId}.jsonl`);
  writeSession({ path: one, sessionId, seed: 499, bytes: oneBytes });
  const many = await runTask<ImportResult>("import", { paths: [folder], dir: join(work, "large-a") });
  rmSync(join(work, "large-a"), { recursive: true });
  const single = await runTask<ImportResult>("import", { paths: [one], dir: join(work, "largest-a") });
  rmSync(join(work, "largest-a"), { recursive: true });
  const command = await runPlimsoll(["import", folder, one, "--archive", join(work, "both-a"), "--json"]);
  for (const name of ["large", "largest", "both-a"]) rmSync(join(work, name), { recursive: true });
  const growth = [many, single].map(growthOf) as [number, number];
  const peak = Math.max(command.peakBytes, many.peakBytes, single.peakBytes);
  const total = manyBytes + oneBytes;
  return [
    {
      what: `plimsoll import of ${mb(total)}, one file of ${mb(oneBytes)}: peak memory`,
      measured: `${mb(peak)}, ${(total / MB / (command.ms / 1000)).toFixed(1)} MB/s`,
      against: "",
      ratio: "",
      target: "≤ 512 MB",
      verdict: verdict(peak <= 512 * 1024 * 1024),
    },
    {
      what: "processor time per MB of its last tenth, against the first",
      measured: `${count} files: ${times(growth[0])}, one file: ${times(growth[1])}`,
      against: "the first tenth",
      ratio: times(Math.max(...growth)),
      target: "≤ 1.5×",
      verdict: verdict(Math.max(...growth) <= 1.5),
    },
  ];
}

/** Time per byte of the last tenth, as a multiple of the first's. */
function growthOf({ progress, bytes, cpuMs: took }: ImportResult): number {
  const points: (readonly [number, number])[] = [[0, 0], ...progress, [bytes, took]];
  const timeAt = (at: number): number => {
    const i = points.findIndex(([done]) => done >= at);
    const [[fromBytes, fromMs], [toBytes, toMs]] = [points[Math.max(0, i - 1)]!, points[i]!];
    return toBytes === fromBytes ? toMs : fromMs + ((toMs - fromMs) * (at - fromBytes)) / (toBytes - fromBytes);
  };
  return (took - timeAt(bytes * 0.9)) / timeAt(bytes * 0.1);
}

/** A blob of 100 MB, against the programs that a person would use for the same. */
export async function blobRows(work: string, runs: number): Promise<Row[]> {
  const what = "a blob of 100 MB stored, durable";
  const target = "≥ 0.5× the speed of cp + sha256sum + sync";
  const file = join(work, "blob.bin");
  mkdirSync(work, { recursive: true });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < runs; run++) {
    // New bytes each time: the store knows what it has.
    writeFileSync(file, randomFillSync(Buffer.alloc(100 * MB)));
    await timeProgram("sync", [file]);
    ours.push((await runTask<StoreResult>("store", { paths: [file], dir: join(work, `store-${run}`) })).ms);
    const copy = join(work, "blob.copy");
    const programs = [
      ["cp", [file, copy]],
      ["sha256sum", [copy]],
      ["sync", [copy]],
    ] as const;
    let sum = 0;
    for (const [command, args] of programs) {
      const took = await timeProgram(command, args);
      if (took === null) return [skipped(what, target, `${command} is not on this machine`)];
      sum += took;
    }
    theirs.push(sum);
    rmSync(copy);
    rmSync(join(work, `store-${run}`), { recursive: true });
  }
  const [mine, peer] = [median(ours), median(theirs)];
  return [
    {
      what,
      measured: `${ms(mine)}, ${Math.round(100 / (mine / 1000))} MB/s`,
      against: `${ms(peer)} for cp, sha256sum, sync`,
      ratio: times(peer / mine),
      target,
      verdict: verdict(peer / mine >= 0.5),
    },
  ];
}
