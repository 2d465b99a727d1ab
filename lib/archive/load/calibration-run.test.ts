// Calibration as a page asks for it: measured when first looked at, one work at a time, cancelled, gone stale.
import { expect, test, vi } from "vitest";
import { answer, idOf, jsonl, prompt, result, asks, used, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import type { CalibrationRun } from "#lib/wire/calibration-run-schema.ts";
import { calibrationRun } from "#lib/wire/calibration-run-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkProgress } from "../base/work-options.ts";
import { calibrate } from "./calibration.ts";
import { readCalibration, runCalibration } from "./calibration-run.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";

/** Calls that each bring a result; prompts grow by a little more than it. */
function session(label: string, calls: number): [string, string] {
  const id = idOf(label);
  const records: Rec[] = [prompt(`${label} p`, 1, "Count the boats")];
  for (let k = 0; k < calls; k++) {
    const tool = asks(`${label}${k}`, "Bash", { command: `count ${k}` });
    records.push(
      answer(`${label} a${k}`, 2 + 2 * k, `${label} ${k}`, tool, {
        stop: "tool_use",
        usage: used(10, 1000 + 60 * k, 0, 9),
      }),
      result(`${label} r${k}`, 3 + 2 * k, `${label}${k}`, "boat ".repeat(40)),
    );
  }
  return [`${id}.jsonl`, jsonl(...records.map((record) => ({ ...record, sessionId: id })))];
}

async function ended(archive: Archive): Promise<CalibrationRun> {
  for (let tries = 0; tries < 500; tries++) {
    const run = await readCalibration(archive);
    if (run.running === null) return calibrationRun.parse(run);
    await new Promise((resume) => setTimeout(resume, 5));
  }
  throw new Error("It did not end.");
}

const withSessions = (count: number, work: (archive: Archive, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    for (let at = 0; at < count; at++) put(logs, ...session(`s${at}`, 6));
    await importPaths(archive, [logs]);
    await work(archive, logs);
  });

test("where sessions cannot be read nothing begins, and the next look does", () =>
  withSessions(1, async (archive) => {
    archive.sqlite.exec("ALTER TABLE sessions RENAME TO damaged");
    await expect(readCalibration(archive)).rejects.toThrow("no such table");
    archive.sqlite.exec("ALTER TABLE damaged RENAME TO sessions");
    expect((await ended(archive)).answer?.transitions).toBe(5);
  }));

test("the first look begins to measure, and a second work waits for it", () =>
  withSessions(3, async (archive) => {
    expect(await readCalibration(archive)).toMatchObject({ running: { do: "look" }, answer: null, madeAt: null });
    await expect(runCalibration(archive, { do: "fit" })).rejects.toMatchObject({ code: "conflict" });
    const run = await ended(archive);
    expect(run).toMatchObject({ running: null, isStale: false, ended: null });
    expect(run.answer?.transitions).toBe(15);
    expect(run.answer?.families[0]).toMatchObject({
      family: "claude-5",
      transitions: 15,
      missing: 485,
      isFitted: false,
    });
  }));

test("progress goes over the sessions, and then over the fits until the last", () =>
  withSessions(3, async (archive) => {
    const said: string[] = [];
    const note = ({ done, total, what }: WorkProgress): void => void said.push(`${done} of ${total} ${what}`);
    const judged = await calibrate(archive, { do: "look" }, { onProgress: note, onFit: note });
    const read = [0, 1, 2, 3].map((done) => `${done} of 3 sessions read`);
    expect(said).toEqual([...read, "1 of 3 fits made", "2 of 3 fits made", "3 of 3 fits made"]);
    expect(await calibrate(archive, { do: "look" })).toEqual(judged);
  }));

test("what is cancelled says so, changes nothing, and is not begun again by looking", () =>
  withSessions(3, async (archive) => {
    await readCalibration(archive);
    await runCalibration(archive, { do: "cancel" });
    const run = await ended(archive);
    expect(run).toMatchObject({ running: null, answer: null, ended: { do: "look", how: "cancelled" } });
    expect(await readCalibration(archive)).toMatchObject({ running: null });
    await runCalibration(archive, { do: "look" });
    expect((await ended(archive)).answer?.transitions).toBe(15);
  }));

test("an answer is stale when sessions came, and never by a fit or a reset of its own", () =>
  withSessions(2, async (archive, logs) => {
    await readCalibration(archive);
    expect((await ended(archive)).isStale).toBe(false);
    for (const input of ["fit", "reset"] as const) {
      await runCalibration(archive, { do: input });
      expect(await ended(archive)).toMatchObject({ isStale: false, ended: null });
    }
    put(logs, ...session("late", 4));
    await importPaths(archive, [logs]);
    expect(await readCalibration(archive)).toMatchObject({ running: null, isStale: true });
    await runCalibration(archive, { do: "look" });
    expect(await ended(archive)).toMatchObject({ isStale: false, answer: { transitions: 13 } });
  }));

test("a work that fails keeps the answer before it, and says why", () =>
  withSessions(2, async (archive) => {
    await readCalibration(archive);
    await ended(archive);
    archive.writer = {
      run: () => Promise.reject(new Error("not asked")),
      work: () => Promise.reject(new Error("The thread ended.")),
    };
    const log = vi.spyOn(console, "error").mockReturnValue();
    await runCalibration(archive, { do: "look" });
    expect(await ended(archive)).toMatchObject({
      answer: { transitions: 10 },
      ended: { how: "failed", reason: "The thread ended." },
    });
    expect(log).toHaveBeenCalledExactlyOnceWith("The calibration failed:", expect.any(Error));
    log.mockRestore();
  }));

test("where a thread of its own works, it is asked, and tells how far it is", () =>
  withSessions(2, async (archive) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const request: unknown[] = [];
    archive.writer = {
      run: () => Promise.reject(new Error("not asked")),
      work: (name, input, { onProgress }) => {
        request.push([name, input]);
        onProgress?.({ done: 1, total: 2, what: "sessions read" });
        return promise;
      },
    };
    await readCalibration(archive);
    expect(await readCalibration(archive)).toMatchObject({ running: { do: "look", done: 1, total: 2 } });
    expect(request).toEqual([["calibrate", { do: "look" }]]);
    resolve({
      families: [],
      models: [],
      classes: [],
      sessions: [],
      clearings: [],
      overheads: [],
      looked: 0,
      transitions: 0,
      leastTransitions: 500,
    });
    expect((await ended(archive)).answer?.looked).toBe(0);
  }));
