import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatAgo,
  formatBytes,
  formatDuration,
  formatPercent,
  formatTokens,
  formatUsd,
  formatWhen,
} from "./format.ts";

test("tokens in full have commas, and short ones three figures or so", () => {
  expect([155_023, 0, 999].map((n) => formatTokens(n))).toEqual(["155,023", "0", "999"]);
  expect([999, 9_180, 24_444, 118_249, 999_949, 999_950, 1_170_000].map((n) => formatTokens(n, true))).toEqual([
    "999",
    "9.2k",
    "24.4k",
    "118.2k",
    "999.9k",
    "1.00M",
    "1.17M",
  ]);
});

test("bytes count in thousands", () => {
  expect([0, 812, 1000, 4096, 369_000, 999_600, 3_100_000, 4_100_000_000].map(formatBytes)).toEqual([
    "0 B",
    "812 B",
    "1.0 kB",
    "4.1 kB",
    "369 kB",
    "1.0 MB",
    "3.1 MB",
    "4.1 GB",
  ]);
});

test("a duration has at most two units", () => {
  expect([0, 340, 1_240, 14_200, 125_000, 3_600_000, 3_840_000, 266_400_000].map(formatDuration)).toEqual([
    "0 ms",
    "340 ms",
    "1.2 s",
    "14 s",
    "2 min 5 s",
    "1 h",
    "1 h 4 min",
    "3 d 2 h",
  ]);
});

test("money that is not nothing never reads as nothing, nor does a share", () => {
  expect([0, 0.004, 0.74, 22.189, 1204.4].map(formatUsd)).toEqual(["$0.00", "<$0.01", "$0.74", "$22.19", "$1,204"]);
  const percent = [0, 0.001, 0.987, 0.9996, 1, 1.0001, 1.09].map((share) =>
    formatPercent(share).replace("\u2009%", ""),
  );
  expect(percent).toEqual(["0", "<1", "99", "99.9", "100", "100.1", "109"]);
});

describe("a moment", () => {
  const now = Date.parse("2026-02-01T00:00:00Z");
  test("is told in the zone that was asked for, with the year only when it is another", () => {
    expect(formatWhen("2026-01-23T23:21:09Z", "UTC", now)).toMatchObject({ day: "23 Jan", time: "23:21" });
    expect(formatWhen("2026-01-23T23:21:09Z", "Asia/Tokyo", now)).toMatchObject({ day: "24 Jan", time: "08:21" });
    expect(formatWhen("2025-09-03T00:05:00Z", "UTC", now)).toMatchObject({ day: "3 Sep 2025", time: "00:05" });
    expect(formatWhen("never", "UTC", now)).toBeNull();
  });
  test("is so long ago", () => {
    expect(
      ["2026-01-31T23:59:30Z", "2026-01-31T23:56:00Z", "2026-01-20T00:00:00Z", "x"].map((t) => formatAgo(t, now)),
    ).toEqual(["now", "4 min", "12 d", "–"]);
  });
});

test("a larger number never reads as a shorter unit", () => {
  const rank = (text: string) => ["B", "kB", "MB", "GB", "TB", "PB"].indexOf(text.split(" ")[1] ?? "");
  fc.assert(
    fc.property(fc.nat(2 ** 48), fc.nat(2 ** 48), (a, b) => {
      const [small, large] = a < b ? [a, b] : [b, a];
      expect(rank(formatBytes(small))).toBeLessThanOrEqual(rank(formatBytes(large)));
    }),
  );
});
