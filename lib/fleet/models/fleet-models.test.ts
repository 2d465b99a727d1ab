// Windows and prices of a fleet: set at one node they hold at all, for what is catalogued, for opened sessions and for usage. And the same
// session says the same load line at each node, whatever else that node has read.
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { publicSessionId } from "#lib/archive/base/row-keys.ts";
import { overridesOf } from "#lib/archive/base/model-overrides.ts";
import { VIEWS } from "#lib/archive/exports/views-version.ts";
import { calibrate } from "#lib/archive/load/calibration.ts";
import { runCalibration } from "#lib/archive/load/calibration-run.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { endFollowing } from "#lib/archive/load/followed-models.ts";
import { comparePrices, resumeModels, saveModels } from "#lib/archive/settings/model-settings.ts";
import { hostPriced, inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { modelOverrides, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { catalogueNext } from "../catalogue.ts";
import { fleetNode, type FleetNode } from "../fleet-node.ts";
import type { Fleet } from "../open-fleet.ts";
import { recomputeNext } from "../outdated-views.ts";
import { listAudit } from "../people/audit.ts";
import { openTestFleet, sessionRecords, testFleet } from "../testing-fleet.ts";
import { sendSessions } from "../send-sessions.ts";
import { readAll, readerOf, SENDING, sendAll, testNode, withDoor } from "../testing-sender.ts";
import { markDueFamilies, sessionsLeft } from "./due-families.ts";
import { FOLLOW_MS } from "./followed-lately.ts";
import { followModels, saveList } from "./model-list.ts";

const found = await testFleet();
const BY = { who: "ann@example.com", address: "192.0.2.7" };
/** Dollars a token of the table, at this moment. */
let tablePrice = 1e-6;
const HOST = hostPriced(() => completeRates({ uncached: tablePrice, read: 0, output: 0 }));

const overrides = (...list: object[]): ModelOverride[] => modelOverrides.parse(list);
const lines = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");
const idAt = (n: number): string => `0a1b2c3d-0000-4000-8000-00000000000${n}`;
const publicId = (id: string): string => publicSessionId(`claude-code:${id}`);
/** Two in one folder, one elsewhere: 100 and 101 tokens that no cache had. */
const SESSIONS = [
  { id: idAt(1), cwd: "/home/user/shop" },
  { id: idAt(2), cwd: "/home/user/shop/till" },
  { id: idAt(3), cwd: "/home/user/quay" },
];
const TOKENS = 201;

describe.skipIf("missing" in found)(`windows and prices of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeEach(async () => {
    tablePrice = 1e-6;
    fleet = await openTestFleet(((await testFleet()) as Extract<typeof found, { address: object }>).address);
  });
  afterEach(() => fleet.close());

  /** A laptop whose sessions were sent, and the archives of two nodes: the first has read them. */
  const withNodes = (run: (archives: { laptop: Archive; one: Archive; two: Archive; dir: string }) => Promise<void>) =>
    inFolder((dir) =>
      withArchive(
        join(dir, "laptop"),
        (laptop) =>
          withArchive(
            join(dir, "one"),
            (one) => withArchive(join(dir, "two"), (two) => run({ laptop, one, two, dir }), HOST),
            HOST,
          ),
        HOST,
      ),
    );

  async function sendThree(laptop: Archive, to: Archive, dir: string): Promise<void> {
    for (const { id, cwd } of SESSIONS)
      put(join(dir, "logs"), `${id}.jsonl`, lines(sessionRecords(id, cwd, ["one", "two"])));
    await importPaths(laptop, [join(dir, "logs")]);
    await sendAll(fleet, laptop, to);
  }
  const nodeOf = (archive: Archive): FleetNode =>
    fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1e9);

  async function writeDue(archive: Archive): Promise<number> {
    while (await markDueFamilies(fleet));
    for (let n = 0; ; n++) if ((await recomputeNext(fleet, readerOf(archive))) === null) return n;
  }
  const listed = async (node: FleetNode): Promise<Record<string, number | null>> => {
    const { sessions } = await node.listSessions(sessionsQuery.parse({}), "all");
    return Object.fromEntries(sessions.map(({ cwd, cost }) => [cwd!.replace("/home/user/", ""), micro(cost.usd)]));
  };
  const micro = (usd: number | null): number | null => (usd === null ? null : Math.round(usd * 1e6));
  const usage = async (node: FleetNode): Promise<number> =>
    micro((await node.answers.usage({ period: "total" } as never, "all")).totals.totalCost)!;

  test("set at one node, prices hold at all, and outlive the archive of each", () =>
    withNodes(async ({ laptop, one, two, dir }) => {
      await sendThree(laptop, one, dir);
      const [first, second] = [nodeOf(one), nodeOf(two)];
      expect(await listed(second)).toEqual({ shop: TOKENS, "shop/till": TOKENS, quay: TOKENS });
      const list = overrides(
        { match: "claude-*", project: "/home/user/shop", uncached: 5 },
        { match: "gpt-*", window: 9000 },
      );
      const saved = await first.models.save(list, BY);
      expect(saved.overrides.map(({ override }) => override)).toEqual(list);
      // All three are to be looked at.
      expect(saved.left).toBe(3);
      expect((await second.models.read()).overrides.map(({ override }) => override)).toEqual(list);
      // Two families have such a session, and nobody reads the third again. It is the second node that does.
      expect(await writeDue(two)).toBe(2);
      expect(await sessionsLeft(fleet)).toBe(0);
      // What it counted a moment ago is not counted anew.
      const readLeft = async () => (await first.models.read()).left;
      await vi.waitFor(async () => expect(await readLeft()).toBe(0), { timeout: FOLLOW_MS + 1000, interval: 100 });
      const expected = { shop: 5 * TOKENS, "shop/till": 5 * TOKENS, quay: TOKENS };
      expect([await listed(first), await usage(second)]).toEqual([expected, 11 * TOKENS]);
      // As the machine has it where somebody sets the same.
      await saveModels(laptop, list);
      await resumeModels(laptop);
      const own = await listSessions(laptop, sessionsQuery.parse({}));
      expect(
        Object.fromEntries(own.sessions.map((one) => [one.cwd!.replace("/home/user/", ""), micro(one.cost.usd)])),
      ).toEqual(expected);
      // The first node had them in its cache, a third begins with nothing.
      await resumeModels(one);
      await withArchive(
        join(dir, "three"),
        async (three) => {
          const third = nodeOf(three);
          for (const [archive, node] of [
            [one, first],
            [two, second],
            [three, third],
          ] as const) {
            await node.models.read();
            const { id } = await node.ensure(publicId(idAt(1)), "all");
            expect(micro((await showSession(archive, id)).cost.usd)).toBe(5 * TOKENS);
          }
          expect(overridesOf(three)).toEqual(list);
        },
        HOST,
      );
      // Taken back, all is as before.
      await second.models.save([], BY);
      expect(await writeDue(one)).toBe(2);
      expect(await listed(first)).toEqual({ shop: TOKENS, "shop/till": TOKENS, quay: TOKENS });
      const audit = await listAudit(fleet, { visible: "all", limit: 10 });
      const rule = "claude-* in /home/user/shop";
      expect(
        audit.map(({ who, action, project, address, detail }) => ({ who, action, project, address, detail })),
      ).toEqual(
        [`${rule}: removed; gpt-*: removed`, `${rule}: uncached 5; gpt-*: window 9000`].map((detail) => ({
          ...BY,
          action: "models",
          project: "*",
          detail,
        })),
      );
    }));

  test("what nodes follow every two seconds is not asked for by each request; whoever saves sees it at once", () =>
    withNodes(async ({ one, two }) => {
      const ask = vi.fn(fleet.ask);
      const { models } = testNode({ ...fleet, ask: ask as Fleet["ask"] }, one);
      const windows = async () => (await models.read()).overrides.map(({ override }) => override.window);
      const clock = vi.spyOn(performance, "now").mockReturnValue(1_000_000);
      try {
        await Promise.all([windows(), windows(), windows()]);
        const once = ask.mock.calls.length;
        await nodeOf(two).models.save(overrides({ match: "a", window: 5000 }), BY);
        expect([await windows(), ask.mock.calls.length]).toEqual([[], once]);
        clock.mockReturnValue(1_000_000 + FOLLOW_MS);
        expect([await windows(), ask.mock.calls.length]).toEqual([[5000], 2 * once]);
        await models.save(overrides({ match: "a", window: 6000 }), BY);
        expect(await windows()).toEqual([6000]);
        // Whoever is refused reads what another set.
        const theirs = overrides({ match: "a", window: 7000 });
        await nodeOf(two).models.save(theirs, BY);
        await expect(models.save([], BY, { seen: [] })).rejects.toMatchObject({ code: "conflict" });
        expect(await windows()).toEqual([7000]);
      } finally {
        clock.mockRestore();
      }
    }));

  test("a node that runs follows within seconds, and writes what is due", { timeout: 30_000 }, () =>
    withNodes(async ({ laptop, one, two, dir }) => {
      await sendThree(laptop, one, dir);
      const [first, second] = [nodeOf(one), nodeOf(two)];
      await second.run({ address: "http://127.0.0.1:9", host: "127.0.0.1:9" });
      try {
        await first.models.save(overrides({ match: "*", uncached: 7 }), BY);
        const startedAt = performance.now();
        await expect.poll(() => overridesOf(two).length, { timeout: 10_000 }).toBe(1);
        expect(performance.now() - startedAt).toBeLessThan(6000);
        await expect.poll(() => usage(first), { timeout: 10_000 }).toBe(21 * TOKENS);
      } finally {
        await second.close();
      }
    }),
  );

  test("of two admins who save at once the later is refused, and sees what the other set", () =>
    withNodes(async () => {
      await saveList(fleet, [], BY);
      const theirs = overrides({ match: "*", uncached: 3 });
      await saveList(fleet, theirs, BY, []);
      await expect(saveList(fleet, [], BY, [])).rejects.toMatchObject({ code: "conflict" });
      await saveList(fleet, [], BY, theirs);
    }));

  test("what was read by an earlier list is due at once", () =>
    withNodes(async ({ laptop, one, dir }) => {
      const node = nodeOf(one);
      for (const { id, cwd } of SESSIONS.slice(0, 1))
        put(join(dir, "logs"), `${id}.jsonl`, lines(sessionRecords(id, cwd, ["one", "two"])));
      await importPaths(laptop, [join(dir, "logs")]);
      const reader = readerOf(one);
      // Somebody changes it while a node reads.
      const judge = async (sessions: readonly string[]): Promise<void> => {
        await reader.judge(sessions);
        await saveList(fleet, overrides({ match: "*", uncached: 3 }), BY);
        while (await markDueFamilies(fleet));
      };
      await withDoor(node, (to) => sendSessions(laptop, { ...SENDING, to }));
      expect(await catalogueNext(fleet, { ...reader, judge })).toBe("done");
      const [row] = await fleet.sql<{ views: number }[]>`SELECT views FROM families`;
      expect(row!.views).toBeLessThan(VIEWS);
      expect([await writeDue(one), await listed(node)]).toEqual([1, { shop: 3 * TOKENS }]);
    }));

  test("families are looked at a few at a time, and a change in between begins anew", () =>
    withNodes(async ({ laptop, one, dir }) => {
      await sendThree(laptop, one, dir);
      const due = async (): Promise<number> => (await fleet.sql`SELECT 1 FROM families WHERE views < ${VIEWS}`).length;
      await saveList(fleet, overrides({ match: "*", uncached: 3 }), BY);
      expect([await markDueFamilies(fleet, 1), await due()]).toEqual([true, 1]);
      // Another node looks at the same moment.
      expect((await Promise.all([markDueFamilies(fleet, 1), markDueFamilies(fleet, 1)])).some(Boolean)).toBe(true);
      // Taken back before the others were looked at: what is due is written again, what is not is as it was.
      await saveList(fleet, [], BY);
      await writeDue(one);
      expect(await listed(nodeOf(one))).toEqual({ shop: TOKENS, "shop/till": TOKENS, quay: TOKENS });
      expect([...(await fleet.sql`SELECT was, next_project FROM model_settings`)]).toEqual([
        { was: "[]", next_project: null },
      ]);
    }));

  test("what an earlier version kept in the archives of nodes becomes the fleet's", () =>
    withNodes(async ({ one, two }) => {
      const [mine, same] = overrides({ match: "a", window: 5000 }, { match: "b", uncached: 1 }) as [
        ModelOverride,
        ModelOverride,
      ];
      await saveModels(one, [mine, same]);
      await saveModels(two, [
        { ...same, uncached: 2 },
        { ...mine, match: "c" },
      ]);
      for (const archive of [one, two, one, two]) await followModels(fleet, archive);
      const all = [mine, same, { ...mine, match: "c" }];
      expect([overridesOf(one), overridesOf(two)]).toEqual([all, all]);
      // What is taken back stays so: an archive that follows has nothing of its own.
      await nodeOf(one).models.save([], BY);
      await followModels(fleet, two);
      expect([overridesOf(one), overridesOf(two)]).toEqual([[], []]);
      // What was set while no server was a node of it is not the fleet's.
      await endFollowing(one);
      await saveModels(one, [mine]);
      for (const archive of [one, two]) await followModels(fleet, archive);
      expect([overridesOf(one), overridesOf(two)]).toEqual([[], []]);
    }));

  test("the prices of a new release hold for what a node had in its cache", () =>
    withNodes(async ({ laptop, one, dir }) => {
      await sendThree(laptop, one, dir);
      await comparePrices(one);
      await resumeModels(one);
      tablePrice = 4e-6;
      // As the version does by itself: price-versions.test.ts.
      await fleet.sql`UPDATE families SET views = ${VIEWS - 2}`;
      await comparePrices(one);
      expect([await writeDue(one), await usage(nodeOf(one))]).toEqual([3, 12 * TOKENS]);
    }));

  test("a session has the same load line at each node, whatever else is there", () =>
    withNodes(async ({ laptop, one, two, dir }) => {
      const exchange = (n: number, tokens: number): object[] => {
        const [first, said] = sessionRecords(idAt(n), "/home/user/shop", ["Go on"]) as [object, { message: object }];
        const usage = {
          input_tokens: 2,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: tokens,
          output_tokens: 1,
        };
        return [first, { ...said, message: { ...said.message, usage } }].map((one) => ({ ...one, version: "2.1.219" }));
      };
      const compacted = (n: number, preTokens: number): object[] => [
        ...exchange(n, preTokens - 500),
        {
          ...{ ...exchange(n, 0)[0], type: "system", uuid: `boundary ${n}`, parentUuid: null, message: undefined },
          ...{ subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens } },
        },
      ];
      const all = [compacted(1, 158_000), compacted(2, 160_000), exchange(3, 60_000)];
      for (const [n, some] of all.entries()) put(join(dir, "logs"), `${idAt(n + 1)}.jsonl`, lines(some));
      await importPaths(laptop, [join(dir, "logs")]);
      const lineAt = async (archive: Archive): Promise<number | null> =>
        (await showSession(archive, publicId(idAt(3)))).peak.loadLine;
      expect(await lineAt(laptop)).toBe(158_000);
      // The first node has all of them, the second one alone.
      const first = await sendAll(fleet, laptop, one);
      const second = nodeOf(two);
      await second.models.read();
      await second.ensure(publicId(idAt(3)), "all");
      expect([await lineAt(one), await lineAt(two)]).toEqual([167_000, 167_000]);
      const { sessions } = await first.listSessions(sessionsQuery.parse({}), "all");
      expect(sessions.map(({ peak }) => peak.loadLine).toSorted()).toEqual([158_000, 160_000, 167_000]);
      await expect(runCalibration(one, { do: "fit" })).rejects.toMatchObject({ code: "unsupported" });
      await expect(calibrate(one, { do: "fit" })).rejects.toMatchObject({ code: "unsupported" });
      // An archive that is no node's any more learns again.
      await endFollowing(one);
      expect(await lineAt(one)).toBe(158_000);
      await readAll(fleet, one);
      await followModels(fleet, one);
      expect(await lineAt(one)).toBe(167_000);
    }));
});
