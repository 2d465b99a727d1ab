// A clock that is wrong deletes nothing from a folder store.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ArtifactStore } from "./artifact-store.ts";
import { CLOCK_FILE } from "./sweep-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

let base = "";
let clocks = { wall: START, uptime: HOUR };
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "plimsoll-sweep-clock-"));
  clocks = { wall: START, uptime: HOUR };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (): ArtifactStore => new ArtifactStore({ base, now: () => clocks.wall, uptime: () => clocks.uptime });

function pass(ms: number): void {
  clocks.wall += ms;
  clocks.uptime += ms;
}

/** Ten artifacts that expire after ten days. */
async function storeTen(store: ArtifactStore): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push((await store.store("s", `content ${i}`, "t", (10 * DAY) / 1000)).artifact_id);
  return ids;
}

async function expectAll(store: ArtifactStore, ids: readonly string[]): Promise<void> {
  for (const [i, id] of ids.entries()) expect(await store.retrieve(id)).toBe(`content ${i}`);
}

test("a store opened with a clock 400 days ahead loses nothing, and sweeps again once the clock is right", async () => {
  const ids = await storeTen(open());
  clocks = { wall: START + 400 * DAY, uptime: 2 * MINUTE };
  const wrong = open();
  for (let i = 0; i < 30; i++) {
    expect(wrong.cleanup_expired()).toBe(0);
    pass(10 * MINUTE);
  }
  expect(wrong.sweepHold()).toMatch(/^The clock is 400 days ahead .* until you confirm the clock\./);
  // What is stored under the wrong clock does not make it believed.
  await wrong.store("s", "later", "t", 60);
  expect(open().cleanup_expired()).toBe(0);
  clocks = { wall: START + HOUR, uptime: 5 * MINUTE };
  expect(open().cleanup_expired()).toBe(0);
  expect(open().sweepHold()).toBeNull();
  await expectAll(open(), ids);
  pass(10 * DAY);
  expect(open().cleanup_expired()).toBe(10);
});

test("a clock that jumps in a running process deletes nothing, until it has held for an hour", async () => {
  const store = open();
  const ids = await storeTen(store);
  clocks.wall += 12 * DAY;
  expect(store.cleanup_expired()).toBe(0);
  clocks.wall -= 12 * DAY;
  await expectAll(store, ids);
  clocks.wall += 12 * DAY;
  expect(store.cleanup_expired()).toBe(0);
  pass(HOUR);
  expect(store.cleanup_expired()).toBe(10);
});

test("a sweep that confirms the clock deletes, and the clock is believed from then on", async () => {
  await storeTen(open());
  clocks = { wall: START + 400 * DAY, uptime: 2 * MINUTE };
  expect(open().cleanup_expired()).toBe(0);
  expect(open().cleanup_expired({ trustClock: true })).toBe(10);
  expect(open().sweepHold()).toBeNull();
});

test.each(["", "{", "null", '{"wall":"x"}'])("a clock file of %j is as one that is not there", async (text) => {
  const ids = await storeTen(open());
  writeFileSync(join(base, CLOCK_FILE), text);
  clocks = { wall: START + 400 * DAY, uptime: 2 * HOUR };
  expect(open().cleanup_expired()).toBe(0);
  clocks = { wall: START + HOUR, uptime: 3 * HOUR };
  await expectAll(open(), ids);
});
