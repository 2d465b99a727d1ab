// One event through the real gate: the calls that carried it, what they were sent of it, its output. Sessions written by hand.
import { expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { CARRIED_OUTPUT, importCarried } from "#lib/archive/memory/testing-carried.ts";
import { hostPriced, inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { eventLifetime, eventSeen } from "#lib/wire/event-lifetime-schema.ts";
import { join } from "node:path";
import { withDoors, type DoorServer } from "./testing-http.ts";

const RATES = completeRates({ uncached: 5e-6, read: 0.5e-6, write: 6.25e-6, output: 25e-6 });

const inDoors = (run: (server: DoorServer, path: string, archive: Archive) => Promise<void>): Promise<void> =>
  inFolder(async (dir) => {
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        const session = await importCarried(archive, dir);
        await withDoors(archive, (server) => run(server, `/api/sessions/${session}/events`, archive));
      },
      hostPriced(() => RATES),
    );
  });

const lifetimeAt = async (server: DoorServer, path: string, seq: number) =>
  eventLifetime.parse(await (await server.ask("GET", `${path}/${seq}/lifetime`)).json());

test("the calls that carried an event come to what the ledger gives its row", () =>
  inDoors(async (server, path, archive) => {
    const lifetime = await lifetimeAt(server, path, 3);
    expect(lifetime).toMatchObject({ seq: 2, sessionCalls: 5 });
    expect(lifetime.parts.map(({ seq, type }) => [seq, type])).toEqual([
      [2, "tool_call"],
      [3, "tool_result"],
    ]);
    expect(lifetime.calls.map(({ call }) => call)).toEqual([2, 3, 4]);
    expect(lifetime.left).toMatchObject({ why: "compaction", seq: 9 });
    const { items, calls } = await sessionLedger(archive, path.split("/")[3]!);
    const own = items.filter(({ seq }) => seq === 2 || seq === 3);
    expect(lifetime.lifetimeTokens).toBe(own.reduce((sum, item) => sum + item.lifetimeTokens, 0));
    expect(lifetime.lifetimeUsd).toBeCloseTo(
      own.reduce((sum, item) => sum + item.lifetimeUsd!, 0),
      12,
    );
    expect(lifetime.calls.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(lifetime.lifetimeTokens);
    expect(lifetime.calls.reduce((sum, { usd }) => sum + usd!, 0)).toBeCloseTo(lifetime.lifetimeUsd!, 12);
    for (const { call, prompt: tokens } of lifetime.calls)
      expect(tokens).toBe(calls.find((one) => one.call === call)!.reported);
    // The result was written to the cache by the first call that had it, and read from it by the others.
    expect(lifetime.calls[0]!.cached).toBeLessThan(lifetime.calls[0]!.tokens);
    expect(lifetime.calls[1]!.cached).toBe(lifetime.calls[1]!.tokens);
    // Either half names the row.
    expect(await lifetimeAt(server, path, 2)).toEqual(lifetime);
  }));

test("the last answer was carried by no call, and a message that stays has not left", () =>
  inDoors(async (server, path) => {
    expect(await lifetimeAt(server, path, 11)).toMatchObject({ calls: [], lifetimeTokens: 0, left: null });
    expect((await lifetimeAt(server, path, 10)).calls.map(({ call }) => call)).toEqual([5]);
    expect((await lifetimeAt(server, path, 10)).left).toBeNull();
  }));

test("what a call was sent of an event are the messages that hold it", () =>
  inDoors(async (server, path) => {
    const seen = async (rest: string) => eventSeen.parse(await (await server.ask("GET", `${path}/${rest}`)).json());
    const first = await seen("5/seen");
    expect(first.call).toMatchObject({ call: 3, isSentKnown: false });
    expect(first.messages.map(({ role, text: words }) => [role, words])).toEqual([
      ["assistant", expect.stringContaining("berths --json")],
      ["tool", CARRIED_OUTPUT],
    ]);
    expect((await seen("5/seen?call=4")).call).toMatchObject({ call: 4 });
    // The first call was sent nothing of it, and no call the last answer.
    expect((await seen("5/seen?call=1")).messages).toEqual([]);
    expect(await seen("11/seen")).toEqual({ call: null, messages: [] });
  }));

test("an output comes as its bytes, stored as an artifact or not; other events have none", () =>
  inDoors(async (server, path) => {
    expect(await (await server.ask("GET", `${path}/5/output`)).text()).toBe(CARRIED_OUTPUT);
    expect(await (await server.ask("GET", `${path}/3/output`)).text()).toBe("early words ".repeat(900));
    expect((await server.ask("GET", `${path}/1/output`)).status).toBe(404);
    expect((await server.ask("GET", `${path}/99/lifetime`)).status).toBe(404);
    expect((await server.ask("GET", `${path}/99/seen`)).status).toBe(404);
  }));

test("a token of another session finds nothing", () =>
  inDoors(async (server, path, archive) => {
    await createSession(archive, { id: "other" });
    const { token } = await createToken(archive, { name: "o", scope: "read", days: null, session: "plimsoll:other" });
    for (const door of ["lifetime", "seen", "output"])
      expect((await server.ask("GET", `${path}/3/${door}`, { token })).status).toBe(404);
  }));
