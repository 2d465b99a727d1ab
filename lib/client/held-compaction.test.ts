// What is due survives the server's end: between an agent's ingest and its next request the process may be gone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RemoteSession } from "./remote-session.ts";
import { Plimsoll } from "./remote.ts";
import { withServer, type TestServer } from "./testing-server.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-held-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const sessionOf = ({ url, tokens }: TestServer): Promise<RemoteSession> =>
  new Plimsoll({ url, token: tokens.write }).createSession({ id: "run", compaction: { contextTokens: 4000, tail: 1 } });

const turn = (n: number): object[] => [
  {
    record: "event",
    startsTurn: true,
    body: { type: "user", text: n === 1 ? "Survey the piers. Never close pier 4." : `Pier ${n}.` },
  },
  {
    record: "call",
    key: `c${n}`,
    usage: { inputUncached: 1500 * n, cacheRead: 0, cacheWrite: 0, output: 9, reasoning: 0, origin: "reported" },
  },
  { record: "event", body: { type: "assistant", text: `pier ${n} is sound\n`.repeat(200) } },
];

test("a compaction that was due when the server was killed is made by the next server", async () => {
  const archive = join(dir, "archive");
  await withServer(
    async (server) => {
      const session = await sessionOf(server);
      for (const n of [1, 2, 3]) await session.addEvents(turn(n), { epoch: 1 });
      await server.kill();
    },
    { dir: archive },
  );
  await withServer(
    async (server) => {
      const session = await sessionOf(server);
      const sent = await session.nextRequest({ as: "text" });
      expect(sent).toMatchObject({ didCompact: true, epoch: 2, compaction: { status: "complete", trigger: "budget" } });
      expect(JSON.stringify(sent.request)).toContain("Never close pier 4");
      await server.kill();
    },
    { dir: archive },
  );
  await withServer(
    async (server) => {
      const sent = await (await sessionOf(server)).nextRequest();
      expect([sent.epoch, sent.didCompact, sent.compaction]).toEqual([2, false, null]);
    },
    { dir: archive },
  );
});

test("a server whose environment names a budget holds every session to it", () =>
  withServer(
    async ({ url, tokens }) => {
      const session = await new Plimsoll({ url, token: tokens.write }).createSession({ id: "plain" });
      for (const n of [1, 2, 3, 4, 5, 6]) await session.addEvents(turn(n));
      const { compaction, budget } = await session.nextRequest();
      expect([compaction?.status, budget]).toEqual(["complete", { inputTokens: 5744, triggerTokens: 2872 }]);
    },
    {
      dir: join(dir, "archive"),
      env: {
        AUTOBYTEUS_COMPACTION_TRIGGER_RATIO: "0.5",
        AUTOBYTEUS_ACTIVE_CONTEXT_TOKENS_OVERRIDE: "6000",
      },
    },
  ));
