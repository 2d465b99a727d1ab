// Webhooks from a session file that grows to a receiver on the loopback, checked with the library of the specification.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { endSession } from "#lib/archive/sessions/session-notices.ts";
import {
  addWebhook,
  changeWebhook,
  readDeliveries,
  removeWebhook,
  testWebhook,
} from "#lib/archive/settings/webhooks.ts";
import { inFolder, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { postWebhook } from "#lib/webhooks/post-webhook.ts";
import type { WebhookKind } from "#lib/wire/webhooks-schema.ts";
import { createChanges } from "#lib/http/changes.ts";
import {
  aMoment,
  answered,
  compacted,
  growingSession,
  holdAnswers,
  openReceiver,
  taken,
  tooLong,
  until,
  type Receiver,
} from "./testing-webhooks.ts";
import { sendWebhooks } from "#lib/http/webhook-sender.ts";

const ALL: WebhookKind[] = ["near", "refused", "compacted", "finished"];

type Ground = {
  readonly archive: Archive;
  readonly receiver: Receiver;
  readonly logs: string;
  /** Reads the session files, as the watcher does after a change. */
  read(): Promise<void>;
  /** Ends the sender and starts another, as a restart of the server does. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Shifts the clock of the archive. */
  wait(ms: number): void;
  /** Gives the archive another clock. */
  setClock(now: () => number): void;
};

const grounds = (run: (ground: Ground) => Promise<void>, retryMs: readonly number[] = [20, 20, 20]): Promise<void> =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    mkdirSync(logs);
    let late = 0;
    let clock = (): number => Date.now() + late;
    const host = { ...testHost(() => clock()), postWebhook };
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        const receiver = await openReceiver();
        const changes = createChanges("t");
        const link = (id: string): string => `http://127.0.0.1:4567/sessions/${id}`;
        const start = () => sendWebhooks(archive, changes, { link, settleMs: 5, retryMs });
        let sender = start();
        try {
          await run({
            archive,
            receiver,
            logs,
            read: async () => {
              await importPaths(archive, [logs]);
              changes.publish({ type: "sessions" });
            },
            restart: async () => {
              await sender.close();
              sender = start();
            },
            stop: () => sender.close(),
            wait: (ms) => {
              late += ms;
              changes.publish({ type: "sessions" });
            },
            setClock: (now) => {
              clock = now;
            },
          });
        } finally {
          await sender.close();
          await receiver.close();
        }
      },
      host,
    );
  });

/** A message that its receiver refused once, and that waits for its next try. */
async function refuseOnce({ archive, receiver, logs, read }: Ground): Promise<void> {
  await addWebhook(archive, { name: "alarm", url: receiver.url, kinds: ["compacted"] });
  receiver.answer = (response) => void response.writeHead(500).end("no");
  growingSession(join(logs, "a.jsonl"))(compacted);
  await read();
  await receiver.has(1);
  await until(() => readDeliveries(archive, "alarm").deliveries[0]?.attempts === 1);
}

test("an error of the database at the time of a retry does not end the server, and the retry is made later", () =>
  grounds(
    async (ground) => {
      const { archive, receiver, read } = ground;
      const said = vi.spyOn(console, "error").mockReturnValue(undefined);
      await refuseOnce(ground);
      receiver.answer = taken;
      // As on a damaged page. What a timer throws ends the process, and this run with it.
      archive.sqlite.exec("ALTER TABLE webhook_deliveries RENAME TO damaged");
      await until(() => said.mock.calls.length > 0);
      expect(said.mock.calls[0]).toEqual(["Webhooks could not be sent:", expect.anything()]);
      archive.sqlite.exec("ALTER TABLE damaged RENAME TO webhook_deliveries");
      said.mockRestore();
      await read();
      await receiver.has(2);
    },
    [200, 200],
  ));

test("each of the four is signed as the specification has it, once, and tells no message", () =>
  grounds(async ({ archive, receiver, logs, read, restart, wait }) => {
    const { secret } = await addWebhook(archive, { name: "alarm", url: receiver.url, kinds: ALL });
    const append = growingSession(
      join(logs, "a.jsonl"),
      "Chart the reef with key sk-ant-api03-abcdefghijklmnopqrstuvwxyz",
    );
    append(answered(20_000));
    append(answered(150_000));
    await read();
    await receiver.has(1);
    append(answered(156_000));
    append(tooLong);
    append(compacted);
    await read();
    await receiver.has(3);
    await restart();
    append(answered(157_000));
    await read();
    wait(LIMITS.webhookIdleMs + 1000);
    await receiver.has(4);
    await aMoment();
    const types = receiver.received.map(({ body }) => body.type);
    expect(types.toSorted()).toEqual(["session.compacted", "session.finished", "session.near", "session.refused"]);
    for (const { headers, text, body } of receiver.received) {
      const signed = headers as Record<string, string>;
      // The library refuses what was not sent just now, by its own clock.
      vi.setSystemTime(Number(signed["webhook-timestamp"]) * 1000);
      expect(new Webhook(secret!).verify(text, signed)).toEqual(body);
      expect(() => new Webhook(secret!).verify(text.replace("claude", "codex"), signed)).toThrow();
      expect(body.data).toMatchObject({ agent: "Claude Code", model: "claude-opus-5" });
      expect(body.data["link"]).toBe(`http://127.0.0.1:4567/sessions/${String(body.data["session"])}`);
      expect(text).not.toContain("abcdefghij");
    }
    vi.useRealTimers();
    const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    expect(ids.size).toBe(4);
    const near = receiver.received.find(({ body }) => body.type === "session.near")!.body;
    expect(near.data).toMatchObject({ load: 150_000, loadLine: 167_000, share: 0.898 });
    const cut = receiver.received.find(({ body }) => body.type === "session.compacted")!.body;
    expect(cut.data).toMatchObject({ trigger: "auto", tokensBefore: 155_000 });
  }));

test("the first import of old sessions sends nothing", () =>
  grounds(async ({ archive, receiver, logs, read, wait }) => {
    await addWebhook(archive, { name: "alarm", url: receiver.url, kinds: ALL });
    const old = Date.now() - 3 * 24 * 60 * 60_000;
    for (let i = 0; i < 60; i++) {
      const append = growingSession(join(logs, `${i}.jsonl`), "Chart the reef", old);
      for (const one of [answered(20_000), answered(160_000), tooLong, compacted]) append(one, old);
    }
    await read();
    await aMoment();
    wait(LIMITS.webhookIdleMs + 1000);
    await aMoment();
    expect(receiver.received).toEqual([]);
  }));

test("what happened before a webhook was added is not sent to it, nor what it does not want", () =>
  grounds(async ({ archive, receiver, logs, read }) => {
    const append = growingSession(join(logs, "a.jsonl"));
    append(answered(160_000), Date.now() - 5000);
    await read();
    await addWebhook(archive, { name: "alarm", url: receiver.url, kinds: ["refused"] });
    append(compacted);
    await read();
    append(tooLong);
    await read();
    await receiver.has(1);
    await aMoment();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(["session.refused"]);
  }));

test("a refusal of 500 is tried again under the same id, and a restart between goes on with it", () =>
  grounds(
    async (ground) => {
      const { archive, receiver, restart } = ground;
      await refuseOnce(ground);
      expect(readDeliveries(archive, "alarm").deliveries[0]).toMatchObject({ status: 500, error: "Answered 500." });
      await restart();
      receiver.answer = taken;
      await receiver.has(2);
      await until(() => readDeliveries(archive, "alarm").deliveries[0]?.state === "delivered");
      const [first, second] = receiver.received;
      expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
      expect(second!.text).toBe(first!.text);
    },
    [2000, 20],
  ));

test("a message that becomes due while others are looked for is sent then", () =>
  grounds(
    async (ground) => {
      const { archive, receiver, setClock } = ground;
      await refuseOnce(ground);
      const due = Date.parse(readDeliveries(archive, "alarm").deliveries[0]!.nextAt!);
      receiver.answer = taken;
      // A timer fires up to a millisecond before its time; then the clock goes on between two looks at it.
      let looks = 0;
      setClock(() => (Date.now() < due - 100 ? Date.now() : looks++ === 0 ? due - 1 : Math.max(due, Date.now())));
      await receiver.has(2);
    },
    [1000],
  ));

test("a receiver that is away gets what waited when it is back; the tries end, and the log says why", () =>
  grounds(
    async ({ archive, receiver, logs, read, restart, stop }) => {
      const { port } = receiver;
      await addWebhook(archive, { name: "alarm", url: receiver.url, kinds: ["compacted"] });
      await receiver.close();
      const append = growingSession(join(logs, "a.jsonl"));
      append(compacted);
      await read();
      const log = () => readDeliveries(archive, "alarm").deliveries;
      await until(() => log()[0]?.attempts === 1);
      expect(log()[0]).toMatchObject({ state: "waiting", status: null, error: "Not reached (ECONNREFUSED)." });
      expect(JSON.stringify(log())).not.toContain("pier-7");
      const back = await openReceiver(port);
      await back.has(1);
      await until(() => log()[0]?.state === "delivered");
      await back.close();
      append(compacted);
      await read();
      await until(() => log()[0]?.state === "failed");
      expect(log()[0]?.attempts).toBe(3);
      await stop();
      await restart();
      await aMoment();
      expect(log()[0]?.attempts).toBe(3);
    },
    [3000, 200],
  ));

test("a redirect is not followed, a receiver that is gone turns its webhook off", () =>
  grounds(async ({ archive, receiver, logs, read }) => {
    await addWebhook(archive, { name: "alarm", url: receiver.url, kinds: ["compacted"] });
    receiver.answer = (response) => void response.writeHead(307, { location: receiver.url }).end();
    const moved = await testWebhook(archive, "alarm");
    expect(moved).toMatchObject({ type: "test", state: "failed", status: 307 });
    expect(moved.error).toBe("Answered with a redirect (307), which is not followed.");
    expect(receiver.received).toHaveLength(1);
    receiver.answer = (response) => void response.writeHead(410).end();
    const append = growingSession(join(logs, "a.jsonl"));
    append(compacted);
    await read();
    await until(() => !readDeliveries(archive, "alarm").webhook.enabled);
    append(compacted);
    await read();
    await aMoment();
    expect(receiver.received).toHaveLength(2);
  }));

test("the answer of an address that was replaced meanwhile is not that of the new one", () =>
  grounds(async ({ archive, receiver, logs, read }) => {
    const old = await openReceiver();
    const answer = holdAnswers(old, 410);
    await addWebhook(archive, { name: "alarm", url: old.url, kinds: ["compacted"] });
    growingSession(join(logs, "a.jsonl"))(compacted);
    await read();
    await old.has(1);
    await changeWebhook(archive, "alarm", { url: receiver.url });
    answer();
    await receiver.has(1);
    await until(() => readDeliveries(archive, "alarm").deliveries[0]?.state === "delivered");
    expect(readDeliveries(archive, "alarm").webhook.enabled).toBe(true);
    await old.close();
  }));

test("a receiver that hangs holds up no other, and removing its webhook drops what waits", () =>
  grounds(async ({ archive, receiver, logs, read, restart }) => {
    const slow = await openReceiver();
    slow.answer = () => undefined;
    await addWebhook(archive, { name: "slow", url: slow.url, kinds: ["compacted"] });
    await addWebhook(archive, { name: "fast", url: receiver.url, kinds: ["compacted"] });
    const append = growingSession(join(logs, "a.jsonl"));
    const now = Date.now();
    for (let i = 0; i < 3; i++) append(compacted, now + i);
    await read();
    await receiver.has(3);
    expect(slow.received).toHaveLength(1);
    expect(readDeliveries(archive, "slow").webhook.waiting).toBe(3);
    expect((await removeWebhook(archive, "slow")).waiting).toBe(3);
    expect(archive.sqlite.prepare("SELECT count(*) FROM webhook_deliveries").pluck().get()).toBe(3);
    await read();
    await restart();
    await aMoment();
    expect(slow.received).toHaveLength(1);
    await slow.close();
  }));

test("a session that Plimsoll holds has finished when it ends; its title goes only where that was chosen", () =>
  grounds(async ({ archive, receiver, read }) => {
    await addWebhook(archive, { name: "named", url: receiver.url, kinds: ["finished"] });
    await addWebhook(archive, { name: "bare", url: receiver.url, kinds: ["finished"], titles: false });
    const { id } = await createSession(archive, { id: "run", title: "Chart the reef" });
    await endSession(archive, "run");
    await endSession(archive, "run");
    await read();
    await receiver.has(2);
    await aMoment();
    expect(receiver.received.map(({ body }) => body.data)).toEqual([
      expect.objectContaining({ session: id, title: "Chart the reef", reason: "ended" }),
      expect.objectContaining({ session: id, title: null, reason: "ended" }),
    ]);
  }));

test("addresses and secrets that cannot be used are refused, with what to do", () =>
  grounds(async ({ archive }) => {
    const add = (url: string, secret?: string) =>
      addWebhook(archive, { name: "x", url, kinds: ["near"], ...(secret !== undefined && { secret }) });
    await expect(add("http://example.com/hook")).rejects.toThrow("Use https");
    await expect(add("https://me:secret@example.com/")).rejects.toThrow("Names and passwords are not allowed here.");
    await expect(add("http://169.254.169.254/latest")).rejects.toThrow("is not an allowed address");
    await expect(add("file:///etc/passwd")).rejects.toThrow("cannot be used");
    await expect(add("https://example.com/?a=b c")).rejects.toThrow("Remove spaces");
    await expect(add("http://127.0.0.1:1/", "whsec_short")).rejects.toThrow("is not whsec_");
    await addWebhook(archive, { name: "y", url: "https://example.com/hook?key=1", kinds: ["near"] });
    await expect(addWebhook(archive, { name: "y", url: "http://[::1]/", kinds: ["near"] })).rejects.toThrow("already");
    expect(await changeWebhook(archive, "y", { enabled: false })).toMatchObject({
      local: false,
      titles: false,
      secret: null,
    });
    expect((await changeWebhook(archive, "y", { newSecret: true })).secret).toMatch(/^whsec_/);
    expect(JSON.stringify(readDeliveries(archive, "y"))).not.toContain("whsec_");
  }));
