// The offload policy of new sessions and the level of warnings of a fleet: set at one node they hold at all.
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { policyOfSession } from "#lib/archive/artifacts/held-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { readPolicy, savePolicy } from "#lib/archive/settings/offload-policy.ts";
import { readWarnAt, saveWarnAt } from "#lib/archive/settings/warn-setting.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { AppError } from "#lib/kernel/errors.ts";
import type { Fleet } from "../open-fleet.ts";
import { listAudit } from "../people/audit.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import { testNode } from "../testing-sender.ts";
import { followDefaults } from "./fleet-defaults.ts";
import { FOLLOW_MS } from "./followed-lately.ts";

const found = await testFleet();
const BY = { who: "ann@example.com", address: "192.0.2.7" };

describe.skipIf("missing" in found)(`defaults of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await openTestFleet(((await testFleet()) as Extract<typeof found, { address: object }>).address);
  });
  afterEach(() => fleet.close());

  const withTwo = (run: (one: Archive, two: Archive) => Promise<void>): Promise<void> =>
    inFolder((dir) => withArchive(join(dir, "one"), (one) => withArchive(join(dir, "two"), (two) => run(one, two))));
  const nodeOf = (archive: Archive) => testNode({ ...fleet, close: () => Promise.resolve() }, archive).defaults;
  const presetOf = async (archive: Archive): Promise<unknown> => (await readPolicy(archive)).policy.preset;

  test("what is read while somebody sets it here is not taken over what they set", () =>
    withTwo(async (one, two) => {
      const node = nodeOf(one);
      await nodeOf(two).savePolicy({ policy: "window" }, BY);
      const gate = Promise.withResolvers<void>();
      const read = Promise.withResolvers<void>();
      const slow: Fleet = {
        ...fleet,
        async ask(run) {
          const answer = await fleet.ask(run);
          read.resolve();
          await gate.promise;
          return answer;
        },
      };
      const following = followDefaults(slow, one);
      await read.promise;
      await node.savePolicy({ policy: "agentium" }, BY);
      gate.resolve();
      await following;
      expect(await presetOf(one)).toBe("agentium");
    }));

  test("set at one node they hold at the other, and are taken back there", () =>
    withTwo(async (one, two) => {
      const [first, second] = [nodeOf(one), nodeOf(two)];
      expect([(await second.policy()).isSet, await second.warning()]).toEqual([false, { warnAt: null }]);
      const saved = await first.savePolicy({ policy: { preset: "window", max_threshold_bytes: 20_000 } }, BY);
      expect(saved).toMatchObject({ isSet: true, changed: ["max_threshold_bytes"] });
      expect(await first.saveWarning({ warnAt: 0.7 }, BY)).toEqual({ warnAt: 0.7 });
      await followDefaults(fleet, two);
      expect([await presetOf(two), readWarnAt(two)]).toEqual(["window", 0.7]);
      expect(await second.policy()).toEqual(saved);
      // Somebody else changed it since they looked.
      await second.savePolicy({ policy: "agentium", seen: saved.policy }, BY);
      await expect(first.savePolicy({ policy: null, seen: saved.policy }, BY)).rejects.toMatchObject({
        code: "conflict",
      });
      expect((await first.policy()).policy.preset).toBe("agentium");
      await expect(
        first.savePolicy({ policy: { preset: "window", max_threshold_bytes: -1 } }, BY),
      ).rejects.toMatchObject({ code: "invalid" });
      await second.savePolicy({ policy: null }, BY);
      await second.saveWarning({ warnAt: null }, BY);
      await followDefaults(fleet, one);
      expect([await presetOf(one), (await readPolicy(one)).isSet, readWarnAt(one)]).toEqual(["plimsoll", false, null]);
      const rows = await listAudit(fleet, { visible: "all", limit: 10 });
      expect(rows.map(({ action, detail, who }) => [action, detail, who])).toEqual(
        [
          'offload policy: {"preset":"window","max_threshold_bytes":20000}',
          "warn at: 0.7",
          'offload policy: {"preset":"agentium"}',
          "offload policy: removed",
          "warn at: removed",
        ]
          .map((detail) => ["settings", detail, BY.who])
          .toReversed(),
      );
    }));

  test("a session with a policy of its own keeps it; others follow, also at another node", () =>
    withTwo(async (one, two) => {
      const make = async (id: string, policy?: string): Promise<string> =>
        (await createSession(two, { id, ...(policy !== undefined && { policy }) })).id;
      const [own, other] = [await make("own", "agentium"), await make("other")];
      await nodeOf(one).savePolicy({ policy: "window" }, BY);
      await followDefaults(fleet, two);
      expect([own, other].map((id) => policyOfSession(two, id).preset)).toEqual(["agentium", "window"]);
    }));

  test("while the database is away they are read as they were, and nothing is set", () =>
    withTwo(async (one) => {
      await nodeOf(one).savePolicy({ policy: "window" }, BY);
      await nodeOf(one).saveWarning({ warnAt: 0.6 }, BY);
      const ask: Fleet["ask"] = () => Promise.reject(new AppError("timeout", "The fleet's database does not answer."));
      const { defaults } = testNode({ ...fleet, ask, close: () => Promise.resolve() }, one);
      expect((await defaults.policy()).policy.preset).toBe("window");
      expect(await defaults.warning()).toEqual({ warnAt: 0.6 });
      await expect(defaults.savePolicy({ policy: "agentium" }, BY)).rejects.toMatchObject({ code: "timeout" });
      await expect(defaults.saveWarning({ warnAt: 0.9 }, BY)).rejects.toMatchObject({ code: "timeout" });
      expect([await presetOf(one), readWarnAt(one)]).toEqual(["window", 0.6]);
    }));

  test("what nodes follow every two seconds is not asked for by each request; whoever saves sees it at once", () =>
    withTwo(async (one, two) => {
      const ask = vi.fn(fleet.ask);
      const { defaults } = testNode({ ...fleet, ask: ask as Fleet["ask"], close: () => Promise.resolve() }, one);
      const clock = vi.spyOn(performance, "now").mockReturnValue(1_000_000);
      try {
        for (let n = 0; n < 5; n++) await Promise.all([defaults.policy(), defaults.warning()]);
        expect(ask).toHaveBeenCalledTimes(1);
        // Who comes while it is read waits for it.
        await nodeOf(two).saveWarning({ warnAt: 0.7 }, BY);
        clock.mockReturnValue(1_000_000 + FOLLOW_MS);
        const both = await Promise.all([defaults.warning(), defaults.warning()]);
        expect([both, ask.mock.calls.length]).toEqual([[{ warnAt: 0.7 }, { warnAt: 0.7 }], 2]);
        await nodeOf(two).savePolicy({ policy: "window" }, BY);
        clock.mockReturnValue(1_000_000 + 2 * FOLLOW_MS);
        expect((await defaults.policy()).policy.preset).toBe("window");
        expect(ask).toHaveBeenCalledTimes(3);
        expect((await defaults.savePolicy({ policy: "agentium" }, BY)).policy.preset).toBe("agentium");
      } finally {
        clock.mockRestore();
      }
    }));

  test("a policy of a newer version is said once; the level of warnings is followed, and a save here is refused", () =>
    withTwo(async (one) => {
      await nodeOf(one).savePolicy({ policy: "window" }, BY);
      const newer = JSON.stringify({ policy: { preset: "tidal" }, warnAt: 0.4 });
      await fleet.sql`UPDATE model_settings SET defaults = ${newer}`;
      const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
      try {
        for (let n = 0; n < 3; n++) await followDefaults(fleet, one);
        expect([await presetOf(one), readWarnAt(one)]).toEqual(["window", 0.4]);
        const { defaults } = testNode({ ...fleet, close: () => Promise.resolve() }, one);
        const { policy: seen } = await defaults.policy();
        expect(seen.preset).toBe("window");
        expect(said.mock.calls).toEqual([
          [
            `The fleet's offload policy is of a newer version: {"preset":"tidal"}. This node keeps its last. Update it.`,
          ],
        ]);
        await expect(defaults.savePolicy({ policy: "agentium", seen }, BY)).rejects.toMatchObject({
          code: "conflict",
          message: expect.stringContaining("of a newer version") as string,
        });
        expect(await defaults.saveWarning({ warnAt: 0.5 }, BY)).toEqual({ warnAt: 0.5 });
        const [row] = await fleet.sql<{ defaults: string }[]>`SELECT defaults FROM model_settings`;
        expect(JSON.parse(row!.defaults)).toEqual({ policy: { preset: "tidal" }, warnAt: 0.5 });
      } finally {
        said.mockRestore();
      }
    }));

  test("what an earlier version kept at nodes becomes the fleet's, the first node's where two differ", () =>
    withTwo(async (one, two) => {
      await savePolicy(one, "window");
      await savePolicy(two, "agentium");
      await saveWarnAt(two, { warnAt: 0.5 });
      for (const archive of [one, two, one]) await followDefaults(fleet, archive);
      expect([await presetOf(one), await presetOf(two)]).toEqual(["window", "window"]);
      expect([readWarnAt(one), readWarnAt(two)]).toEqual([0.5, 0.5]);
      // What was taken back stays so.
      await nodeOf(one).savePolicy({ policy: null }, BY);
      for (const archive of [two, one]) await followDefaults(fleet, archive);
      expect([await presetOf(one), await presetOf(two)]).toEqual(["plimsoll", "plimsoll"]);
    }));
});
