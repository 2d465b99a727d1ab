// A clock that is wrong ends nothing: in a running server, at a start, and when a person sweeps by hand.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { observeClock, type ClockState } from "#lib/kernel/clock.ts";
import type { Archive } from "./archive-type.ts";
import { readSetting } from "./setting-rows.ts";
import { readText } from "../artifacts/whole-text.ts";
import { inFolder, NOW, testHost, withArchive } from "../testing-archive.ts";
import { createSession } from "../artifacts/create-session.ts";
import { collect } from "../artifacts/gc.ts";
import { saveRetention } from "../artifacts/retention.ts";
import { readStats } from "../artifacts/stats.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Looks at the clocks one after the other (in hours): how far ahead each was held for, or null. */
function looks(...readings: [wall: number, uptime: number][]): (number | null)[] {
  let state: ClockState | null = null;
  return readings.map(([wall, uptime]) => {
    const seen = observeClock(state, { wall: wall * HOUR, uptime: uptime * HOUR });
    ({ state } = seen);
    return seen.aheadMs === null ? null : Math.round(seen.aheadMs / HOUR);
  });
}

describe("a look at the clocks", () => {
  test("believes a clock that goes as the machine does, however long nobody looked", () => {
    expect(looks([1000, 5], [1000.2, 5.2], [1900, 905], [1900.9, 905])).toEqual([null, null, null, null]);
  });

  test("holds a jump ahead until the clock has held for an hour", () => {
    expect(looks([1000, 1], [1101, 2], [1101.8, 2.8], [1102.1, 3.1])).toEqual([null, 100, 100, null]);
    // It jumped again meanwhile: the hour begins anew.
    expect(looks([1000, 1], [1101, 2], [1201.8, 2.8], [1202.1, 3.1])).toEqual([null, 100, 200, 200]);
    // It was set right: what was believed before is believed again.
    expect(looks([1000, 1], [1101, 2], [1001.5, 2.5], [1201.5, 3.5])).toEqual([null, 100, null, 199]);
  });

  test("takes a restart of the machine for a jump by the time that it was off", () => {
    expect(looks([1000, 500], [1000.5, 0.1], [1012, 0.2], [1013.3, 1.5])).toEqual([null, null, 11, null]);
  });

  test("never believes a jump of more than 30 days by itself", () => {
    expect(looks([1000, 500], [10_600, 0.1], [10_602, 2.1], [10_700, 100])).toEqual([null, 9600, 9602, 9700]);
  });

  test("lets a clock that went back end nothing more, and knows when it comes right again", () => {
    expect(looks([1000, 1], [10, 2], [10.5, 2.5], [1001.8, 2.8])).toEqual([null, null, null, null]);
    expect(looks([1000, 1], [10, 2], [12, 4], [9000, 5])).toEqual([null, null, null, 8987]);
  });
});

type Clocks = { wall: number; uptime: number };

/** Opens the archive under two clocks that a test sets. */
const opened = <T>(dir: string, clocks: Clocks, run: (archive: Archive) => Promise<T>): Promise<T> =>
  withArchive(
    dir,
    run,
    testHost(
      () => clocks.wall,
      () => clocks.uptime,
    ),
  );

/** Twenty artifacts that end after ten days, in an archive that was closed again. */
const withTwenty = (run: (dir: string, pointers: string[]) => Promise<void>): Promise<void> =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const pointers: string[] = [];
    await opened(dir, { wall: NOW, uptime: HOUR }, async (archive) => {
      await createSession(archive, { id: "s" });
      for (let i = 0; i < 20; i++) {
        const input = { session: "plimsoll:s", ttlSeconds: (10 * DAY) / 1000 };
        pointers.push((await storeArtifact(archive, input, Buffer.from(`artifact ${i}`))).pointer);
      }
    });
    await run(dir, pointers);
  });

const gone = (archive: Archive): number =>
  archive.sqlite.prepare("SELECT count(*) FROM artifacts WHERE deleted_at IS NOT NULL").pluck().get() as number;

describe("an archive", () => {
  test("opened with a clock 400 days ahead loses nothing, also when it is swept by hand", () =>
    withTwenty(async (dir, pointers) => {
      const wrong = { wall: NOW + 400 * DAY, uptime: 2 * MINUTE };
      await opened(dir, wrong, async (archive) => {
        expect((await readStats(archive)).held).toMatch(/^The clock is 400 days ahead/);
        for (let i = 0; i < 30; i++) {
          const swept = await collect(archive, { graceMs: -MINUTE });
          expect(swept).toMatchObject({ expired: 0, blobs: 0 });
          expect(swept.held).toContain("Nothing expires until you confirm the clock");
          wrong.wall += 10 * MINUTE;
          wrong.uptime += 10 * MINUTE;
        }
        // What would go is counted all the same.
        expect(await collect(archive, { dryRun: true })).toMatchObject({ expired: 20, held: expect.any(String) });
        expect(gone(archive)).toBe(0);
      });
      // The next start of the same machine, the clock still wrong; then with the right one.
      await opened(dir, wrong, async (archive) => expect((await collect(archive)).held).not.toBeNull());
      await opened(dir, { wall: NOW + HOUR, uptime: 5 * MINUTE }, async (archive) => {
        expect(await collect(archive, { graceMs: -MINUTE })).toMatchObject({ expired: 0, held: null });
        for (const pointer of pointers) expect(await readText(archive, pointer)).toContain("artifact");
      });
    }));

  test("that was off for 12 days ends what is due an hour later", () =>
    withTwenty(async (dir) => {
      const clocks = { wall: NOW + 12 * DAY, uptime: 2 * MINUTE };
      await opened(dir, clocks, async (archive) => {
        expect((await collect(archive)).held).toContain("until the clock has held for an hour");
      });
      clocks.wall += HOUR;
      clocks.uptime += HOUR;
      await opened(dir, clocks, async (archive) => {
        expect(await collect(archive)).toMatchObject({ expired: 20, held: null });
        expect((await readStats(archive)).held).toBeNull();
      });
    }));

  test("ends what is due once a person confirms the clock, and believes it from then on", () =>
    withTwenty(async (dir) => {
      const clocks = { wall: NOW + 400 * DAY, uptime: 2 * MINUTE };
      await opened(dir, clocks, async (archive) => {
        await saveRetention(archive, {
          maxAgeDays: 30,
          maxBytes: null,
          sessionBytes: null,
          archiveBytes: null,
          keepNamed: true,
        });
        expect(await collect(archive)).toMatchObject({ expired: 0, swept: 0 });
        expect(await collect(archive, { trustClock: true })).toMatchObject({ expired: 20, held: null });
        expect(readSetting(archive, "clock")).toMatchObject({ wall: clocks.wall, since: null });
      });
      await opened(dir, clocks, async (archive) => expect((await collect(archive)).held).toBeNull());
    }));

  test("that never noted a time goes by when it was last written to", () =>
    withTwenty(async (dir) => {
      await opened(dir, { wall: NOW, uptime: HOUR }, async (archive) => {
        archive.sqlite.exec("DELETE FROM settings WHERE key = 'clock'");
      });
      await opened(dir, { wall: NOW + 40 * DAY, uptime: 2 * HOUR }, async (archive) => {
        expect(await collect(archive)).toMatchObject({ expired: 0, held: expect.any(String) });
      });
    }));
});
