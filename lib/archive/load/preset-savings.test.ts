// The presets tried on all sessions: what is summed up, what a second look costs, cancelling, going stale.
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  prompt,
  result,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { presetSavings, presetSavingsRun, type PresetSavingsRun } from "#lib/wire/preset-savings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { presetSavingsOf } from "./preset-savings.ts";
import { readPresetSavings, runPresetSavings } from "./preset-savings-run.ts";
import { inArchive, put } from "../testing-archive.ts";
import { whatIfOf } from "./replay-session.ts";
import { whatIfRequest } from "#lib/wire/what-if-schema.ts";

/** One output of 32,000 bytes, or about 11,500 tokens, that two more calls are sent. */
function session(label: string): [string, string] {
  const records: Rec[] = [
    prompt(`${label} 1`, 1, "read it"),
    answer(`${label} 2`, 2, `${label}a`, asks(`${label}t`, "Read", { file_path: "/home/ada/harbour/tides.md" }), {
      usage: used(10, 0, 9990, 60),
    }),
    result(`${label} 3`, 3, `${label}t`, "sea ".repeat(8000).trim()),
    answer(`${label} 4`, 4, `${label}b`, text("done"), { usage: used(10, 10_000, 11_500, 60) }),
    prompt(`${label} 5`, 5, "more"),
    answer(`${label} 6`, 6, `${label}c`, text("done again"), { usage: used(10, 21_510, 100, 20) }),
  ];
  const id = idOf(label);
  return [`${id}.jsonl`, jsonl(...records.map((record) => ({ ...record, sessionId: id })))];
}

const withSessions = (labels: readonly string[], work: (archive: Archive, logs: string) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    for (const label of labels) put(logs, ...session(label));
    await importPaths(archive, [logs]);
    await work(archive, logs);
  });

test("savings of all sessions are the sums of their replays", () =>
  withSessions(["one", "two"], async (archive) => {
    const result = presetSavings.parse(await presetSavingsOf(archive));
    expect(result).toMatchObject({ sessions: 2, priced: 2, full: 0, promptTokens: 2 * (10_000 + 21_510 + 21_620) });
    expect(result.unreportedTokens).toBe(0);
    const of = (name: string) => result.presets.find(({ preset }) => preset === name)!;
    const { actual, predicted } = await whatIfOf(archive, idOf("one"), whatIfRequest.parse({ offload: 2000 }));
    expect(of("plimsoll")).toMatchObject({
      offloaded: 2,
      saved: { tokens: 2 * (actual.promptTokens - predicted.expected.promptTokens) },
      staysUnder: 0,
    });
    expect(of("plimsoll").savedHalfRead.tokens).toBeLessThan(of("plimsoll").saved.tokens);
    expect(of("off")).toMatchObject({ offloaded: 0, saved: { tokens: 0, usd: 0 } });
    // 32,000 bytes are under its 51,200.
    expect(of("agentium").offloaded).toBe(0);
  }));

test("a second look replays only what changed", () =>
  withSessions(["one", "two"], async (archive, logs) => {
    const looked: string[] = [];
    const look = () => presetSavingsOf(archive, { onProgress: ({ done, total }) => looked.push(`${done}/${total}`) });
    const first = await look();
    expect(looked).toEqual(["0/2", "1/2", "2/2"]);
    looked.length = 0;
    expect(await look()).toEqual(first);
    expect(looked).toEqual(["2/2"]);
    put(logs, ...session("three"));
    await importPaths(archive, [logs]);
    looked.length = 0;
    expect((await look()).sessions).toBe(3);
    expect(looked).toHaveLength(2);
  }));

test("an archive without sessions has nothing to save", () =>
  inArchive(async (archive) => {
    expect(await presetSavingsOf(archive)).toMatchObject({ sessions: 0, promptTokens: 0, usd: null, full: 0 });
  }));

async function ended(archive: Archive): Promise<PresetSavingsRun> {
  for (let tries = 0; tries < 500; tries++) {
    const run = await readPresetSavings(archive);
    if (run.running === null) return presetSavingsRun.parse(run);
    await new Promise((resume) => setTimeout(resume, 5));
  }
  throw new Error("It did not end.");
}

test("the first look begins the work, and sessions that come later make the answer stale", () =>
  withSessions(["one"], async (archive, logs) => {
    expect(await readPresetSavings(archive)).toMatchObject({ running: { done: 0, total: 1 }, answer: null });
    expect(await ended(archive)).toMatchObject({ answer: { sessions: 1 }, isStale: false, ended: null });
    put(logs, ...session("two"));
    await importPaths(archive, [logs]);
    expect(await readPresetSavings(archive)).toMatchObject({ answer: { sessions: 1 }, isStale: true });
    await runPresetSavings(archive, { do: "begin" });
    expect(await ended(archive)).toMatchObject({ answer: { sessions: 2 }, isStale: false });
  }));

test("what is cancelled says so, and goes on where it stopped", () =>
  withSessions(["one", "two", "three"], async (archive) => {
    await readPresetSavings(archive);
    await runPresetSavings(archive, { do: "cancel" });
    expect(await ended(archive)).toMatchObject({ answer: null, ended: { how: "cancelled" } });
    // Looking does not begin it again.
    expect(await readPresetSavings(archive)).toMatchObject({ running: null, ended: { how: "cancelled" } });
    await runPresetSavings(archive, { do: "begin" });
    expect(await ended(archive)).toMatchObject({ answer: { sessions: 3 }, ended: null });
  }));
