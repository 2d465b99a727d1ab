// Each row of docs/conformance.md has a door that reaches its code, and the list of missing doors is exact.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRequirements } from "./conformance.ts";
import {
  doorTrouble,
  entryOf,
  hasDoor,
  modulesWithoutDoor,
  reachedByAny,
  reachOf,
  readDoorsToBuild,
} from "./conformance-doors.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "conformance.md"), "utf8");
const rows = readRequirements(page);

test("every row names a door that reaches its code, or says that it is to be built", () => {
  const any = reachedByAny();
  expect(rows.map((row) => doorTrouble(row, any)).filter((trouble) => trouble !== null)).toEqual([]);
  expect(rows.filter(hasDoor).length).toBeGreaterThan(450);
});

test("modules without a door are those below Doors to be built", () => {
  expect(readDoorsToBuild(page).toSorted()).toEqual(modulesWithoutDoor());
});

test("imports are followed through dynamic ones and workers, and not through types", () => {
  expect(reachOf("bin/plimsoll.ts")).toContain("bin/commands/cat-command.ts");
  expect(reachOf("bin/commands/jq-command.ts")).toContain("lib/jobs/jq-worker.ts");
  expect(reachOf("lib/wire/retention-schema.ts")).toEqual(new Set(["lib/wire/retention-schema.ts"]));
  expect(reachOf("lib/http/bytes.ts")).not.toContain("lib/archive/base/archive-type.ts");
});

test.each([
  ["plimsoll nothing", /no such command/],
  ["GET /api/nothing", /no such endpoint/],
  ["DELETE /api/health", /no such endpoint/],
  ["page /nothing", /no such page/],
  ["library: Nothing", /not exported/],
])("%s is no door", (door, why) => {
  expect(entryOf(door)).toMatchObject({ missing: expect.stringMatching(why) });
});

test.each([
  ["plimsoll export", "bin/commands/export-command.ts"],
  ["GET /api/sessions/:id", "lib/archive/sessions/show-session.ts"],
  ["POST /api/sessions/:id/outputs", "lib/archive/artifacts/record-output.ts"],
  ["page /sessions/:id", "app/sessions/[id]/page.tsx"],
  ["library: MemoryManager", "lib/kernel/memory/memory-manager.ts"],
])("%s begins at %s", (door, entry) => {
  expect(entryOf(door)).toEqual({ entries: expect.arrayContaining([entry]) });
});

test("a door that does not reach the code, and a missing door that is there, are told", () => {
  const row = rows.find(({ file }) => file === "lib/jobs/jq.test.ts")!;
  expect(doorTrouble(row)).toBeNull();
  expect(doorTrouble({ ...row, door: "library: Compactor" })).toMatch(/does not reach lib\/jobs\/jq\.ts/);
  expect(doorTrouble({ ...row, door: "to be built" })).toMatch(/its door is there/);
  expect(doorTrouble(row, new Set())).toMatch(/no door reaches .*lib\/jobs\/jq\.ts/);
});
