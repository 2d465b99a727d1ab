// A budget's messages, from the calls of a session to a receiver on the loopback.
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { saveBudget } from "#lib/archive/load/save-budget.ts";
import { addWebhook } from "#lib/archive/settings/webhooks.ts";
import { inFolder, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { createChanges } from "#lib/http/changes.ts";
import { sendWebhooks } from "#lib/http/webhook-sender.ts";
import { postWebhook } from "#lib/webhooks/post-webhook.ts";
import { aMoment, openReceiver } from "./testing-webhooks.ts";

const QUAY = { period: "total", since: null, limitUsd: 10, isPartial: false, project: null };

test("a budget is said near its end and over it, once in each period; its folder only where titles are", () =>
  inFolder(async (dir) => {
    let late = 0;
    const host = { ...testHost(() => Date.now() + late), postWebhook };
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        const receiver = await openReceiver();
        const changes = createChanges("t");
        const start = () => sendWebhooks(archive, changes, { link: () => null, settleMs: 5, budgetMs: 0 });
        let sender = start();
        const session = await createSession(archive, { id: "run", title: "Chart the reef" });
        const cost = (usd: number): void => {
          archive.sqlite
            .prepare("UPDATE sessions SET cwd = '/quay', calls = 1, ended_at = 1 WHERE id = ?")
            .run(session.id);
          archive.sqlite
            .prepare(
              `INSERT OR REPLACE INTO model_calls (session_pk, call, key, first_seq, ts, input_uncached, has_usage, usd)
               SELECT pk, 1, 'c', 1, 1, 100, 1, ? FROM sessions WHERE id = ?`,
            )
            .run(usd, session.id);
          changes.publish({ type: "sessions" });
        };
        try {
          await addWebhook(archive, { name: "money", url: receiver.url, kinds: ["budget"], titles: false });
          await addWebhook(archive, { name: "other", url: receiver.url, kinds: ["finished"] });
          await saveBudget(archive, { period: "total", project: "/quay", limitUsd: 10 });
          cost(7);
          await aMoment();
          cost(8.5);
          await receiver.has(1);
          // A sender that closes before it has the answer sends the message once more.
          await aMoment();
          cost(9);
          await sender.close();
          sender = start();
          await aMoment();
          cost(11);
          await receiver.has(2);
          late += 40 * 86_400_000;
          changes.publish({ type: "sessions" });
          await aMoment();
          expect(receiver.received.map(({ body }) => [body.type, body.data])).toEqual([
            ["budget.near", { ...QUAY, usd: 8.5, share: 0.85 }],
            ["budget.over", { ...QUAY, usd: 11, share: 1.1 }],
          ]);
          // Another limit is another budget.
          await saveBudget(archive, { period: "total", project: "/quay", limitUsd: 5 });
          changes.publish({ type: "sessions" });
          await receiver.has(3);
        } finally {
          await sender.close();
          await receiver.close();
        }
      },
      host,
    );
  }));
