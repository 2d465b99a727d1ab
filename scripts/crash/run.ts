// Kills a writer at every system call that changes the disk, and looks each time whether anything that was acknowledged is
// lost, torn, or back from the dead: `node scripts/crash/run.ts [--points N] [--scenario NAME] [--error EIO]`. Needs strace. With an
// errno each call fails with it instead, and the writer goes on as it can.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { NOW, testHost } from "#lib/archive/testing-archive.ts";
import { bundleForTests } from "../bundle.mjs";
import { inspect } from "./inspect.ts";
import { openJournal } from "./crash-journal.ts";
import { findPoints, hasStrace, harmAt, type Harm, type Point } from "./points.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";

export type Outcome = {
  readonly scenario: string;
  readonly points: number;
  readonly killed: number;
  readonly failures: readonly { readonly point: Point; readonly wrong: readonly string[] }[];
};

/** Kills are no power failure, so that no barrier has to reach a disk: in memory a point takes half the time. */
const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Runs one scenario, harmed at `most` of its points, evenly spread. */
export async function crash(
  scenario: Scenario,
  most: number,
  harm: Harm,
  onPoint?: (done: number, of: number) => void,
): Promise<Outcome> {
  const root = mkdtempSync(join(base, "plimsoll-crash-"));
  const writer = await bundleForTests("scripts/crash/writer.ts");
  const inspected = async (dir: string): Promise<string[]> =>
    "folder" in scenario ? scenario.folder.inspect(dir) : inspect(dir);
  try {
    const start = join(root, "start");
    mkdirSync(start, { mode: 0o700 });
    await prepare(scenario, start);
    const scratch = join(root, "scratch");
    mkdirSync(scratch);
    const copyOf = (name: string) => {
      // cpSync makes folders with modes of its own.
      execFileSync("cp", ["-a", start, join(root, name)]);
      return { writer, dir: join(root, name, "archive"), scenario: scenario.name, scratch };
    };
    const all = findPoints(copyOf("whole"));
    const whole = await inspected(join(root, "whole", "archive"));
    if (whole.length > 0) throw new Error(`"${scenario.name}" is not sound when left alone: ${whole.join("; ")}`);
    const count = Math.min(most, all.length);
    const chosen = Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]!);
    const failures: { point: Point; wrong: string[] }[] = [];
    let killed = 0;
    for (const [i, point] of chosen.entries()) {
      const at = copyOf(`p${i}`);
      const ran = harmAt(point, harm, at);
      if (ran.killed) killed++;
      const wrong = await inspected(at.dir);
      if (harm === "SIGKILL" && !ran.killed && ran.err !== "")
        wrong.push(`it failed by itself: ${ran.err.slice(0, 500)}`);
      if (wrong.length > 0) failures.push({ point, wrong });
      rmSync(join(root, `p${i}`), { recursive: true });
      onPoint?.(i + 1, count);
    }
    return { scenario: scenario.name, points: count, killed, failures };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function prepare(scenario: Scenario, start: string): Promise<void> {
  const dir = join(start, "archive");
  if ("folder" in scenario) return scenario.folder.prepare(dir);
  const archive = await openArchive({ dir, host: testHost(() => NOW) });
  await scenario.prepare(archive, openJournal(join(start, "journal")));
  await closeArchive(archive);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { points: { type: "string" }, scenario: { type: "string" }, error: { type: "string" } },
  });
  const harm = (values.error ?? "SIGKILL") as Harm;
  if (!hasStrace()) {
    console.error("strace is missing or not allowed here: nothing was tried.");
    process.exit(1);
  }
  const chosen = SCENARIOS.filter(({ name }) => values.scenario === undefined || name === values.scenario);
  if (chosen.length === 0) {
    console.error(`No scenario "${values.scenario}". There are: ${SCENARIOS.map(({ name }) => name).join(", ")}.`);
    process.exit(2);
  }
  const most = values.points === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(Number(values.points) / chosen.length);
  const outcomes: Outcome[] = [];
  for (const scenario of chosen) {
    const startedAt = performance.now();
    const outcome = await crash(scenario, most, harm, (done, of) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${scenario.name}: ${done} of ${of}`);
    });
    outcomes.push(outcome);
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `${outcome.scenario.padEnd(24)} ${String(outcome.points).padStart(5)} points ${String(outcome.killed).padStart(5)} killed ${String(outcome.failures.length).padStart(4)} wrong ${seconds.padStart(5)} s`,
    );
    for (const { point, wrong } of outcome.failures)
      console.log(`  ${point.thread} ${point.call} ${point.when}: ${wrong.join("\n    ")}`);
  }
  const sum = (pick: (outcome: Outcome) => number): number => outcomes.reduce((total, one) => total + pick(one), 0);
  console.log(
    `${sum(({ points }) => points)} points, ${sum(({ killed }) => killed)} killed, ${sum(({ failures }) => failures.length)} wrong`,
  );
  process.exitCode = sum(({ failures }) => failures.length) > 0 ? 1 : 0;
}
