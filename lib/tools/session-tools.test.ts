// The tools over sessions: what they find, how they go on, and what they never exceed.
import { expect, test, vi } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { policiesOf } from "#lib/archive/load/session-policies.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { fillIndex } from "#lib/archive/search/fill-index.ts";
import { inArchive, inFolder, NOW, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { effectText } from "#lib/wire/policy-effect-text.ts";
import { TOOLS } from "./index.ts";
import { runTool } from "./run-tool.ts";

const TURNS = 40;
const LONG = `begin ${"tide ".repeat(4000)}end`;

/** Two sessions: a short one, and one of many turns whose fifth event is long. */
const grounds = (run: (archive: Archive, ids: Record<"short" | "long", string>) => Promise<void>): Promise<void> => {
  let now = NOW;
  return inFolder((dir) =>
    withArchive(
      dir,
      async (archive) => {
        const short = (await createSession(archive, { id: "short", title: "Short one" })).id;
        await ingest(archive, short, [
          { record: "event", ts: new Date(now).toISOString(), body: { type: "user", text: "A harbour question" } },
        ]);
        now += 60_000;
        const long = (await createSession(archive, { id: "long", title: "Long one", contextWindow: 100_000 })).id;
        for (let turn = 1; turn <= TURNS; turn++) {
          now += 1000;
          await ingest(archive, long, [
            {
              record: "event",
              ts: new Date(now).toISOString(),
              startsTurn: true,
              body: { type: "user", text: `Question ${turn}` },
            },
            {
              record: "event",
              ts: new Date(now).toISOString(),
              body: { type: "assistant", text: turn === 3 ? LONG : `Answer ${turn}` },
            },
          ]);
        }
        await recordOutput(
          archive,
          { session: long, toolName: "bash", toolCallId: "c1", isError: false },
          Buffer.from(`${"a line of the gauge\n".repeat(3000)}`),
        );
        await run(archive, { short, long });
      },
      testHost(() => now),
    ),
  );
};

const ask = (archive: Archive, tool: string, input: object, session?: string) =>
  runTool(archive, tool, input, { who: "test", ...(session !== undefined && { session }) });

test("sessions are found by their words, the last active first, page by page", () =>
  grounds(async (archive, { short, long }) => {
    const all = await ask(archive, "search_sessions", {});
    expect((all.structured!["sessions"] as { id: string }[]).map(({ id }) => id)).toEqual([long, short]);
    const found = await ask(archive, "search_sessions", { query: "harbour" });
    expect(found.structured).toMatchObject({ total: 1, sessions: [{ id: short, first_event: 1 }], next_offset: null });
    const first = await ask(archive, "search_sessions", { limit: 1 });
    expect(first.structured).toMatchObject({ total: 2, sessions: [{ id: long }], next_offset: 1 });
    expect(first.text).toContain("[1 more: continue with offset=1]");
    expect((await ask(archive, "search_sessions", { query: "nowhere to be found" })).text).toBe("No session fits.");
    const bound = await ask(archive, "search_sessions", {}, short);
    expect(bound.structured).toMatchObject({ total: 1, sessions: [{ id: short }] });
    expect((await ask(archive, "search_sessions", { query: "Answer" }, short)).structured).toMatchObject({
      total: 0,
    });
  }));

test("a search that its time did not suffice for says so", () =>
  grounds(async (archive) => {
    await fillIndex(archive);
    const find = () => ask(archive, "search_sessions", { query: "/harb?our/" });
    expect(await find()).toMatchObject({ structured: { total: 1, is_whole: true } });
    let ms = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (ms += 1000));
    try {
      const { text, structured } = await find();
      expect(structured).toMatchObject({ total: 0, is_whole: false });
      expect(text).toBe("No session fits.\n[Not all events were searched in time. Add words or fields.]");
    } finally {
      clock.mockRestore();
    }
  }));

test("parts of a session add up to all of its events, and one event alone is shown further", () =>
  grounds(async (archive, { long }) => {
    const seen: number[] = [];
    let from: number | undefined = 1;
    let parts = 0;
    while (from !== undefined) {
      const input = { session: long, from_event: from, max_chars: 1000 };
      const { text }: { text: string } = await ask(archive, "read_session", input);
      seen.push(...[...text.matchAll(/^#(\d+) /gm)].map(([, seq]) => Number(seq)));
      const next: string | undefined = /\[more: continue with from_event=(\d+)\]$/.exec(text)?.[1];
      from = next === undefined ? undefined : Number(next);
      parts++;
    }
    expect(seen).toEqual(Array.from({ length: 2 * TURNS + 2 }, (_, i) => i + 1));
    expect(parts).toBeGreaterThan(3);
    const among = await ask(archive, "read_session", { session: long, from_event: 6, to_event: 7 });
    expect(among.text).toContain("[event 6 is cut]");
    const alone = await ask(archive, "read_session", { session: long, from_event: 6, to_event: 6, max_chars: 60_000 });
    expect(alone.text).toContain("tide end");
    const users = await ask(archive, "read_session", { session: long, types: ["user"] });
    expect(users.text).not.toContain("assistant");
    expect((await ask(archive, "read_session", { from_event: 5, to_event: 4 })).isError).toBe(true);
  }));

test("the default is the session that was active last; an archive without one says so", async () => {
  await grounds(async (archive, { long }) => {
    for (const input of [{}, { session: "latest" }])
      expect((await ask(archive, "why_full", input)).structured).toMatchObject({ session: long });
    expect(await ask(archive, "why_full", { session: "s_0000" })).toMatchObject({ isError: true });
  });
  await inArchive(async (archive) => {
    const none = await ask(archive, "why_full", {});
    expect([none.isError, none.text]).toEqual([true, expect.stringContaining("no sessions yet") as string]);
  });
});

test("why a context filled names the settings that would have prevented it, as the page measures them", () =>
  grounds(async (archive, { long }) => {
    const { policies } = await policiesOf(archive, long, { counted: true });
    const answer = await ask(archive, "why_full", { session: long });
    const named = (answer.structured as { prevented_by: { title: string; measured: string }[] }).prevented_by;
    expect(named.map(({ title, measured }) => [title, measured])).toEqual(
      policies.slice(0, 6).map(({ title, effect }) => [title, effectText(effect)]),
    );
    for (const { title } of named) expect(answer.text).toContain(title);
  }));

test("the messages of a context come in order or by weight, and add up", () =>
  grounds(async (archive, { long }) => {
    type Answer = { tokens: number; total_messages: number; messages: { tokens: number; events: number[] }[] };
    const all = (await ask(archive, "context_at", { session: long, limit: 200 })).structured as Answer;
    expect(all.messages).toHaveLength(all.total_messages);
    expect(all.messages.reduce((sum, one) => sum + one.tokens, 0)).toBe(all.tokens);
    const heavy = (await ask(archive, "context_at", { session: long, heaviest: true, limit: 1 })).structured as Answer;
    expect(heavy.messages[0]!.tokens).toBe(Math.max(...all.messages.map(({ tokens }) => tokens)));
    const early = (await ask(archive, "context_at", { session: long, at_event: 4 })).structured as Answer;
    expect(early.total_messages).toBeLessThan(all.total_messages);
  }));

test("a plan of a compaction changes nothing", () =>
  grounds(async (archive, { long }) => {
    const rows = (): unknown => archive.sqlite.prepare("SELECT count(*) FROM events").get();
    const before = rows();
    const plan = await ask(archive, "compact_plan", { session: long, tail_turns: 2 });
    expect(plan.structured).toMatchObject({ status: "planned", first_event: 1 });
    expect(rows()).toEqual(before);
    expect(archive.sqlite.prepare("SELECT count(*) FROM compactions").pluck().get()).toBe(0);
  }));

test("no answer is over its bound, as text or as data", () =>
  grounds(async (archive) => {
    for (const [name, input] of [
      ["search_sessions", { limit: 50 }],
      ["read_session", { max_chars: 60_000 }],
      ["why_full", { culprits: 50 }],
      ["context_at", { limit: 200 }],
      ["compact_plan", { summary_chars: 60_000 }],
      ["recall", { query: "gauge", limit: 50 }],
    ] as const) {
      const { maxBytes } = TOOLS.find((tool) => tool.name === name)!;
      const answer = await ask(archive, name, input);
      expect([name, answer.isError]).toEqual([name, false]);
      expect(answer.bytes).toBeLessThanOrEqual(maxBytes);
      expect(Buffer.byteLength(JSON.stringify(answer.structured ?? {}))).toBeLessThanOrEqual(2 * maxBytes);
    }
  }));
