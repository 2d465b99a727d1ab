// Webhooks of a fleet: two nodes see the same, one of them sends it, and what one leaves the other goes on with.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { addWebhook as addToArchive, listWebhooks } from "#lib/archive/settings/webhooks.ts";
import { saveFleetBudget } from "#lib/fleet/answers/fleet-budgets.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "#lib/fleet/testing-fleet.ts";
import { adoptWebhooks } from "#lib/fleet/webhooks/adopt-webhooks.ts";
import { fleetWebhooks, type FleetWebhooks } from "#lib/fleet/webhooks/fleet-webhooks.ts";
import { sendFleetWebhooks, type FleetSender } from "#lib/fleet/webhooks/send-fleet-webhooks.ts";
import { postWebhook } from "#lib/webhooks/post-webhook.ts";
import { aMoment, holdAnswers, openReceiver, until, type Receiver } from "./testing-webhooks.ts";

const found = await testFleet();
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 5, 12);
const BY = { who: "test", address: "here" };
const BUDGET = { period: "day", since: "2026-01-05", limitUsd: 10, isPartial: false, project: null };

type Ground = {
  readonly webhooks: FleetWebhooks;
  readonly archives: readonly Archive[];
  readonly receiver: Receiver;
  /** A node, by its number, begins to send. */
  start(node: number, retryMs?: readonly number[]): FleetSender;
  spend(usd: number, at?: number): Promise<void>;
  /** The clock of all. */
  wait(ms: number): void;
};

describe.skipIf("missing" in found)(`webhooks of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const grounds = (run: (ground: Ground) => Promise<void>): Promise<void> =>
    inFolder(async (dir) => {
      for (const name of ["webhooks", "budgets", "budget_notices", "session_usage", "sessions"])
        await fleet.sql`DELETE FROM ${fleet.sql(name)}`;
      let late = 0;
      const host = { ...testHost(() => NOW + late), postWebhook };
      const receiver = await openReceiver();
      const senders: FleetSender[] = [];
      const link = (id: string): string => `https://plimsoll.example.com/sessions/${id}`;
      try {
        await withArchive(
          join(dir, "one"),
          (one) =>
            withArchive(
              join(dir, "two"),
              async (two) => {
                const archives = [one, two];
                await run({
                  archives,
                  receiver,
                  webhooks: fleetWebhooks(fleet, host),
                  start(node, retryMs = [20, 20]) {
                    const options = { link, retryMs, pollMs: 10, budgetSeconds: 0 };
                    const sender = sendFleetWebhooks({ ...fleet, node: `node-${node}` }, archives[node]!, options);
                    senders.push(sender);
                    return sender;
                  },
                  spend: (usd, at = NOW) => spend(fleet, usd, at),
                  wait: (ms) => void (late += ms),
                });
                await Promise.all(senders.map((sender) => sender.close()));
              },
              host,
            ),
          host,
        );
      } finally {
        await receiver.close();
      }
    });

  test("a budget of a project is said near its end and over it, by one of two nodes, once a day", () =>
    grounds(async ({ webhooks, receiver, start, spend: cost, wait }) => {
      await webhooks.add({ name: "money", url: receiver.url, kinds: ["budget"], titles: false });
      await webhooks.add({ name: "named", url: receiver.url, kinds: ["budget"], titles: true });
      await webhooks.add({ name: "other", url: receiver.url, kinds: ["finished"] });
      await saveFleetBudget(fleet, { period: "day", project: "shop", limitUsd: 10 }, BY);
      const both = [start(0), start(1)];
      await cost(7);
      await aMoment();
      await cost(8.5);
      await receiver.has(2);
      await aMoment();
      await cost(9);
      // Nodes that begin anew know what was said.
      await Promise.all(both.map((sender) => sender.close()));
      start(0);
      start(1);
      await aMoment();
      await cost(11);
      await receiver.has(4);
      await aMoment();
      const shown = receiver.received.map(({ body, headers }) => [body.type, body.data, headers["webhook-id"]]);
      const ids = new Set(shown.map(([, , id]) => id));
      expect(ids.size).toBe(2);
      const said = (type: string, project: string | null, usd: number) => [
        type,
        { ...BUDGET, project, usd, share: usd / 10 },
        expect.stringMatching(/^msg_[0-9a-f]{24}$/) as string,
      ];
      expect(shown.slice(0, 2)).toEqual(
        expect.arrayContaining([said("budget.near", null, 8.5), said("budget.near", "shop", 8.5)]) as unknown[],
      );
      expect(shown.slice(2)).toEqual(
        expect.arrayContaining([said("budget.over", null, 11), said("budget.over", "shop", 11)]) as unknown[],
      );
      // The next day begins anew, and another limit is another budget.
      wait(DAY);
      await cost(9, NOW + DAY);
      await receiver.has(6);
      await saveFleetBudget(fleet, { period: "day", project: "shop", limitUsd: 5 }, BY);
      await receiver.has(8);
      await aMoment();
      expect(receiver.received.slice(4).map(({ body }) => [body.type, body.data["limitUsd"]])).toEqual([
        ["budget.near", 10],
        ["budget.near", 10],
        ["budget.over", 5],
        ["budget.over", 5],
      ]);
    }));

  test("what a node could not deliver another sends, under the same id, and nobody twice", () =>
    grounds(async ({ webhooks, receiver, start, spend: cost, wait }) => {
      await webhooks.add({ name: "money", url: receiver.url, kinds: ["budget"] });
      await saveFleetBudget(fleet, { period: "day", project: null, limitUsd: 10 }, BY);
      receiver.answer = (response) => void response.writeHead(500).end();
      await cost(12);
      const first = start(0, [60_000]);
      await until(() => receiver.received.length === 1);
      await aMoment();
      await first.close();
      const [waiting] = (await webhooks.deliveries("money")).deliveries;
      expect(waiting).toMatchObject({ state: "waiting", attempts: 1, error: "Answered 500." });
      receiver.answer = (response) => void response.writeHead(204).end();
      wait(60_000);
      start(1);
      await receiver.has(2);
      await aMoment();
      const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
      expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
      const { deliveries, webhook } = await webhooks.deliveries("money");
      expect(deliveries).toMatchObject([{ state: "delivered", attempts: 2, status: 204 }]);
      expect(webhook).toMatchObject({ waiting: 0, last: { state: "delivered" } });
    }));

  test("a node that is gone while it sends leaves the message to another when its claim is over", () =>
    grounds(async ({ webhooks, receiver, start, spend: cost }) => {
      await webhooks.add({ name: "money", url: receiver.url, kinds: ["budget"] });
      await saveFleetBudget(fleet, { period: "day", project: null, limitUsd: 10 }, BY);
      receiver.answer = () => undefined;
      await cost(12);
      start(0);
      await receiver.has(1);
      start(1);
      await aMoment();
      expect(receiver.received).toHaveLength(1);
      await fleet.sql`UPDATE webhooks SET busy_until = now() - interval '1 second'`;
      await receiver.has(2);
      receiver.answer = (response) => void response.writeHead(204).end();
    }));

  test("one that is gone for good is off; a test is sent once; names are one each", () =>
    grounds(async ({ webhooks, receiver, start, spend: cost }) => {
      const { secret } = await webhooks.add({ name: "money", url: receiver.url, kinds: ["budget"] });
      expect(secret).toMatch(/^whsec_/);
      await expect(webhooks.add({ name: "money", url: receiver.url, kinds: ["budget"] })).rejects.toThrow("already");
      expect(await webhooks.test("money")).toMatchObject({ type: "test", state: "delivered", status: 204 });
      expect((await webhooks.change("money", { name: "till", newSecret: true })).secret).not.toBe(secret);
      await expect(webhooks.change("money", {})).rejects.toThrow('There is no webhook "money".');
      receiver.answer = (response) => void response.writeHead(410).end();
      await saveFleetBudget(fleet, { period: "day", project: null, limitUsd: 10 }, BY);
      await cost(12);
      start(0);
      await receiver.has(2);
      await aMoment();
      expect(await webhooks.list()).toMatchObject([{ name: "till", enabled: false, waiting: 0 }]);
      expect((await webhooks.remove("till", BY)).name).toBe("till");
      expect(await fleet.sql`SELECT 1 FROM webhook_deliveries`).toHaveLength(0);
    }));

  test("the answer of an address that was replaced meanwhile is not that of the new one", () =>
    grounds(async ({ webhooks, receiver, start, spend: cost }) => {
      const old = await openReceiver();
      const answer = holdAnswers(old, 410);
      await webhooks.add({ name: "money", url: old.url, kinds: ["budget"] });
      await saveFleetBudget(fleet, { period: "day", project: null, limitUsd: 10 }, BY);
      await cost(12);
      start(0);
      await old.has(1);
      await webhooks.change("money", { url: receiver.url });
      answer();
      await receiver.has(1);
      await aMoment();
      const { deliveries, webhook } = await webhooks.deliveries("money");
      expect(deliveries).toMatchObject([{ state: "delivered", status: 204 }]);
      expect(webhook.enabled).toBe(true);
      await old.close();
    }));

  test("webhooks that nodes kept themselves become the fleet's, each address once", () =>
    grounds(async ({ webhooks, archives, receiver }) => {
      const [one, two] = [archives[0]!, archives[1]!];
      const { secret } = await addToArchive(one, { name: "chat", url: receiver.url, kinds: ["finished"] });
      await addToArchive(two, { name: "chat", url: receiver.url, kinds: ["finished"] });
      await addToArchive(two, { name: "pager", url: `${receiver.url}&to=pager`, kinds: ["near"] });
      for (const archive of [one, two, one]) await adoptWebhooks(fleet, archive);
      expect(await webhooks.list()).toMatchObject([{ name: "chat" }, { name: "pager" }]);
      expect([...(await fleet.sql`SELECT secret FROM webhooks WHERE name = 'chat'`)]).toEqual([{ secret }]);
      expect([...listWebhooks(one), ...listWebhooks(two)]).toEqual([]);
    }));

  test("what waited at each of two nodes waits at the one webhook of their address", () =>
    grounds(async ({ archives, receiver }) => {
      for (const [n, archive] of archives.entries()) {
        await addToArchive(archive, { name: "chat", url: receiver.url, kinds: ["finished"] });
        archive.sqlite
          .prepare(
            `INSERT INTO webhook_deliveries (webhook_pk, message, type, payload, state, attempts, next_at, created_at)
             VALUES (1, ?, 'session.finished', '{}', 'waiting', 0, ?, ?)`,
          )
          .run(`msg_${n}`, NOW, NOW);
      }
      for (const archive of archives) await adoptWebhooks(fleet, archive);
      const rows = await fleet.sql`SELECT message FROM webhook_deliveries JOIN webhooks ON id = webhook
        WHERE state = 'waiting' AND url = ${receiver.url} ORDER BY message`;
      expect([...rows]).toEqual([{ message: "msg_0" }, { message: "msg_1" }]);
    }));

  test("two nodes that start at once take over an address once", () =>
    grounds(async ({ archives, webhooks, receiver }) => {
      const [one, two] = [archives[0]!, archives[1]!];
      await addToArchive(one, { name: "chat", url: receiver.url, kinds: ["finished"] });
      await addToArchive(two, { name: "talk", url: receiver.url, kinds: ["finished"] });
      const begun = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      // The first is held before it commits.
      const begin = async (run: (tx: never) => Promise<unknown>): Promise<unknown> =>
        fleet.sql.begin(async (tx) => {
          await run(tx as never);
          begun.resolve();
          await end.promise;
        });
      const first = adoptWebhooks({ ...fleet, sql: { begin } as never }, one);
      await begun.promise;
      const second = adoptWebhooks(fleet, two);
      await aMoment();
      end.resolve();
      await Promise.all([first, second]);
      expect((await webhooks.list()).map(({ name }) => name)).toEqual(["chat"]);
    }));

  test("what happens in a session that two nodes have is sent once", () =>
    grounds(async ({ webhooks, receiver, archives, start }) => {
      await webhooks.add({ name: "chat", url: receiver.url, kinds: ["finished"], titles: true });
      for (const { sqlite } of archives)
        sqlite
          .prepare(
            `INSERT INTO sessions (id, native_id, format, title, ended_at, next_seq, version) VALUES ('s_1', 'n1', 'codex', 'Chart the reef', ?, 3, 1)`,
          )
          .run(NOW - 11 * 60_000);
      await fleet.sql`UPDATE webhooks SET created_at = ${NOW - DAY}`;
      start(0);
      start(1);
      await receiver.has(1);
      await aMoment();
      await until(() => receiver.received.length === 1);
      expect(receiver.received[0]!.body).toMatchObject({
        type: "session.finished",
        data: { session: "s_1", title: "Chart the reef", link: "https://plimsoll.example.com/sessions/s_1" },
      });
    }));
});

/** All that a project has spent at a moment, in place of what it had. */
async function spend({ sql }: Fleet, usd: number, at: number): Promise<void> {
  const id = `s_${at}`;
  await sql`DELETE FROM session_usage WHERE session = ${id}`;
  await sql`DELETE FROM sessions WHERE id = ${id}`;
  await sql`INSERT INTO sessions ${sql({
    ...{ project: "shop", id, family: id, native_id: id, parent: null, format: "codex", agent: "Codex" },
    ...{ agent_key: "codex", title: id, turns: 1, calls: 1, compactions: 0, artifacts: 0, own_calls: 1 },
    ...{ own_tokens: 10, own_unsure: false, started_at: at, ended_at: at, row: sql.json({ id }) },
  })}`;
  await sql`INSERT INTO session_usage ${sql({
    ...{ project: "shop", session: id, at, model: "m1", tools: "", calls: 1, input: 5, read: 2 },
    ...{ written: 1, output: 2, reasoning: 0, usd, unsure: false },
  })}`;
}
