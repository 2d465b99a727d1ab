// The same for every agent: a session whose file grows, is cut or deleted meanwhile, a folder that cannot be written, a disk that fills.
// Nothing half-written, the original as it was, and what is unsure is said. Session files here are made by hand (synthetic).
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { carryOnRequest, type CarryOnRequest } from "#lib/wire/carry-on-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { carryOn } from "./carry-on.ts";
import { listCarryOns } from "./handover-rows.ts";
import { SYNTHETIC_AGENTS } from "./testing-agents.ts";
import { FIRST_AGENTS } from "./testing-first-agents.ts";
import { inOpenCode, running, answer, text, user } from "./testing-opencode.ts";

const request = (more: Partial<CarryOnRequest> = {}) => carryOnRequest.parse({ tail: 1, ...more });
/** What stands for reasoning that the provider sealed. */
const SEALED = "c3ludGhldGlj";
const linesOf = (records: readonly unknown[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");

type Ground = (run: (archive: Archive, source: string, dir: string) => Promise<void>) => Promise<void>;

const AGENTS = [...FIRST_AGENTS, ...SYNTHETIC_AGENTS].map(({ id, session, file, records, call }) => ({
  id,
  session,
  ground: ((run) =>
    inArchive(async (archive, dir) => {
      const path = put(dir, file, linesOf([...records, ...call]));
      await importPaths(archive, [path]);
      await run(archive, path, dir);
    })) as Ground,
}));

const OPENCODE = {
  id: "opencode",
  session: "ses_1",
  ground: ((run) =>
    inOpenCode(
      (archive, { path }) => run(archive, path, join(dirname(path), "../../../..")),
      () => [user(text("Wait")), answer(30_100, text("I wait."), running)],
    )) as Ground,
};

/** Root may write everywhere, but not below a file. */
async function expectRefusals(archive: Archive, session: string, source: string, dir: string): Promise<void> {
  await expect(carryOn(archive, session, request({ to: source }))).rejects.toThrow("Could not write");
  await expect(carryOn(archive, session, request({ to: join(dir, "nowhere") }))).rejects.toThrow(
    "its folder does not exist",
  );
  const disk = join(dir, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=8k", "tmpfs", disk]).status !== 0)
    return console.log("SKIPPED: a small disk cannot be mounted here (that takes root).");
  try {
    const whole = request({ to: disk, mode: "fork", envelopes: false });
    await expect(carryOn(archive, session, whole)).rejects.toThrow("the disk is full");
    expect(readdirSync(disk)).toEqual([]);
  } finally {
    spawnSync("umount", ["-l", disk]);
  }
}

test.each([...AGENTS, OPENCODE])(
  "$id: where nothing can be written, or the disk fills, nothing is, and the original stays; an open call gets a result",
  ({ session, ground }) =>
    ground(async (archive, source, dir) => {
      const before = readFileSync(source);
      await expectRefusals(archive, session, source, dir);
      expect(listCarryOns(archive).rows).toEqual([]);
      const { plan, written } = await carryOn(archive, session, request());
      expect(plan.warnings.join(" ")).toContain("had not returned");
      expect(readFileSync(written!.path, "utf8")).toContain("This call had not returned");
      expect(readFileSync(source).equals(before)).toBe(true);
    }),
);

test.each(AGENTS)(
  "$id: of a file that grew, was cut or deleted what was read goes on, and that is said; sealed reasoning goes on too",
  ({ session, ground }) =>
    ground(async (archive, source) => {
      const known = readFileSync(source);
      const first = readFileSync((await carryOn(archive, session, request())).written!.path, "utf8");
      expect(first.includes(SEALED)).toBe(known.includes(SEALED));
      const carried = async (): Promise<string> => {
        const { plan, written } = await carryOn(archive, session, request());
        // The same lines again, but for names and times.
        expect(Math.abs(readFileSync(written!.path, "utf8").length - first.length)).toBeLessThan(40);
        return plan.warnings.join(" ");
      };
      appendFileSync(source, "{}\n");
      expect(await carried()).toContain("3 bytes that were not read yet");
      expect(readFileSync(source).subarray(0, known.length).equals(known)).toBe(true);
      writeFileSync(source, "{}\n");
      expect(await carried()).toContain("was cut or replaced");
      expect(readFileSync(source, "utf8")).toBe("{}\n");
      rmSync(source);
      expect(await carried()).toContain("The old file is gone");
      expect(statSync(source, { throwIfNoEntry: false })).toBeUndefined();
    }),
);

test("a file of pi whose entries have no ids is refused, whole or with a summary", () =>
  inArchive(async (archive, dir) => {
    const { session, file, records } = FIRST_AGENTS.find(({ id }) => id === "pi")!;
    const [header, ...entries] = records.map((one) => ({ ...(one as Record<string, unknown>) }));
    delete header!["version"];
    for (const entry of entries) {
      delete entry["id"];
      delete entry["parentId"];
    }
    await importPaths(archive, [put(dir, file, linesOf([header, ...entries]))]);
    for (const mode of ["fork", "summary"] as const)
      await expect(carryOn(archive, session, request({ mode }))).rejects.toThrow(/version 1.*Open it in pi once/);
  }));
