// A session file may have a NUL wherever it has a text: PostgreSQL has no such character, and no session is lost for it.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Fleet } from "./open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "./testing-fleet.ts";
import { sendAll } from "./testing-sender.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`texts with a NUL${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("a session is listed whose folder, branch, model, tool and words have one", () =>
    inFolder((dir) =>
      withArchive(join(dir, "laptop"), (laptop) =>
        withArchive(join(dir, "node"), async (archive) => {
          const shared = (n: number) => ({
            ...{
              sessionId: "0a1b2c3d-0000-4000-8000-0000000000aa",
              version: "2.0\0",
              isSidechain: false,
              userType: "external",
            },
            ...{ cwd: "/home/\0/shop", gitBranch: "ma\0in", uuid: `u${n}`, parentUuid: n === 1 ? null : `u${n - 1}` },
            timestamp: new Date(Date.UTC(2026, 4, 31, 10, n)).toISOString(),
          });
          const usage = {
            input_tokens: 10,
            output_tokens: 10,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0,
          };
          const content = [{ type: "tool_use", id: "t\0", name: "Ba\0sh", input: { command: "gh pr create\0" } }];
          const result = [
            { type: "tool_result", tool_use_id: "t\0", content: "https://github.com/a/b/pull/1\0", is_error: false },
          ];
          const records = [
            { ...shared(1), type: "user", message: { role: "user", content: "Why\0?" } },
            {
              ...{ ...shared(2), type: "assistant", requestId: "r\0" },
              message: { id: "m\0", type: "message", role: "assistant", model: "claude-\0sonnet", usage, content },
            },
            { ...shared(3), type: "user", message: { role: "user", content: result } },
          ];
          put(join(dir, "logs"), "a.jsonl", records.map((one) => `${JSON.stringify(one)}\n`).join(""));
          await importPaths(laptop, [join(dir, "logs")]);
          const node = await sendAll(fleet, laptop, archive);
          const states = await fleet.sql`SELECT state, reason FROM commits`;
          expect(states.map(({ state, reason }) => [state, reason])).toEqual([["done", null]]);
          const { sessions } = await node.listSessions(sessionsQuery.parse({}), "all");
          expect(sessions.map(({ cwd, model }) => [cwd, model])).toEqual([
            ["/home/\uFFFD/shop", "claude-\uFFFDsonnet"],
          ]);
        }),
      ),
    ));
});
