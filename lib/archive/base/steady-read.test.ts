// A read beside a second connection that writes.
import { expect, test } from "vitest";
import { fail } from "#lib/kernel/errors.ts";
import { closeArchive, openArchive } from "../archive.ts";
import { inFolder, testHost } from "../testing-archive.ts";
import type { Archive } from "./archive-type.ts";
import { readSteadily } from "./steady-read.ts";

const beside = (run: (reader: Archive, write: () => void) => Promise<void>): Promise<void> =>
  inFolder(async (dir) => {
    const writer = await openArchive({ dir: `${dir}/archive`, host: testHost() });
    const reader = await openArchive({ dir: `${dir}/archive`, host: testHost(), mode: "read" });
    let n = 0;
    await run(reader, () => {
      writer.sqlite.exec(`CREATE TABLE written_${++n} (at INTEGER)`);
    });
    await closeArchive(reader);
    await closeArchive(writer);
  });

const failures: readonly (() => never)[] = [
  () => fail("conflict", "This session is being imported again."),
  () => {
    throw new TypeError("Cannot read properties of undefined");
  },
];

test("a read that failed while another connection wrote runs again", () =>
  beside(async (reader, write) => {
    for (const failure of failures) {
      let runs = 0;
      const read = (): string => {
        if (++runs === 3) return "whole";
        write();
        return failure();
      };
      expect(await readSteadily(reader, read)).toBe("whole");
      expect(runs).toBe(3);
    }
  }));

test("it does not run again where nothing was written, where it was refused or stopped, or for ever", () =>
  beside(async (reader, write) => {
    const stopped = new DOMException("stopped", "AbortError");
    const cases: readonly (readonly [failure: () => never, writes: boolean, times: number])[] = [
      [failures[1]!, false, 1],
      [failures[1]!, true, 3],
      [() => fail("not_found", "No such session."), true, 1],
      [
        () => {
          throw stopped;
        },
        true,
        1,
      ],
    ];
    for (const [failure, writes, times] of cases) {
      let runs = 0;
      const read = async (): Promise<never> => {
        runs++;
        if (writes) write();
        return failure();
      };
      await expect(readSteadily(reader, read)).rejects.toThrow();
      expect(runs).toBe(times);
    }
  }));
