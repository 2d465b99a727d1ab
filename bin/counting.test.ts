// Writers never wait for the pass that counts tokens and computes verdicts: it stops when they come, and what it found is
// written between their transactions.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { inArchive, put } from "#lib/archive/testing-archive.ts";
import type { FromCounter, ToCounter } from "./counter-messages.ts";
import { createCounting } from "./counting.ts";

/** A counter that does nothing by itself: what it was sent, and what it sends when a test says so. */
function counterOf(archive: Archive) {
  const sent: ToCounter[] = [];
  const counted: string[] = [];
  let hear: (message: FromCounter) => void = () => undefined;
  let fail: () => void = () => undefined;
  const counting = createCounting({
    opened: Promise.resolve(archive),
    startCounter: (onMessage, onFail) => {
      hear = onMessage;
      fail = onFail;
      return { post: (message) => void sent.push(message) };
    },
    onCounted: (id) => void counted.push(id),
  });
  return { counting, sent, counted, say: (message: FromCounter) => hear(message), fail: () => fail() };
}

const inSession = (run: (archive: Archive, pk: number) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    const fixture = join(import.meta.dirname, "../lib/formats/fixtures/claude-code-synthetic-session.jsonl");
    const path = put(logs, "a.jsonl", readFileSync(fixture));
    await importPaths(archive, [path]);
    await run(archive, archive.sqlite.prepare("SELECT pk FROM sessions WHERE lane = ''").pluck().get() as number);
  });

const settled = () => new Promise((resume) => setTimeout(resume, 20));
const countsIn = (archive: Archive) => archive.sqlite.prepare("SELECT count(*) FROM token_counts").pluck().get();

test("a put does not wait while a session is counted or judged, however long that takes", () =>
  inSession(async (archive, pk) => {
    const { counting, sent } = counterOf(archive);
    const pass = counting.next();
    await settled();
    // The other thread counts, and does not answer.
    expect(sent).toEqual([{ type: "count", run: 1, pks: expect.arrayContaining([pk]) }]);
    expect(archive.turn.isWanted).toBe(false);
    await createSession(archive, { title: "Of its own" } as never);
    // The word that a write came reaches the pass, wherever it is.
    counting.stop();
    expect(await pass).toBe(false);
    expect(sent.at(-1)).toEqual({ type: "stop" });
    // What was not counted is counted in the next pause.
    const again = counting.next();
    await settled();
    expect(sent.at(-1)).toMatchObject({ type: "count", run: 2 });
    counting.stop();
    await again;
  }));

test("what is found is written, late findings too, and a verdict waits for the counts that it is of", () =>
  inSession(async (archive, pk) => {
    const { counting, sent, counted, say } = counterOf(archive);
    const pass = counting.next();
    await settled();
    const digest = archive.sqlite.prepare("SELECT digest FROM events WHERE digest IS NOT NULL").pluck().get() as Buffer;
    say({ type: "counts", tokenizer: "words", counts: [[digest, 3]] });
    say({ type: "counted", run: 1, pk, counted: 1, recount: null });
    await settled();
    expect(countsIn(archive)).toBe(1);
    expect(sent.at(-1)).toEqual({ type: "written", run: 1, pk });
    counting.stop();
    await pass;
    const version = archive.sqlite.prepare("SELECT version FROM sessions WHERE pk = ?").pluck().get(pk) as number;
    const verdict = { pk, version, culprit: null, usd: null, tokens: 7, loads: [], findings: [], carried: [] };
    say({ type: "verdict", run: 1, pk, summary: { version, sparkline: null, top: null }, verdict });
    await settled();
    expect(
      archive.sqlite.prepare("SELECT judged_version, avoidable_tokens FROM sessions WHERE pk = ?").get(pk),
    ).toEqual({
      judged_version: version,
      avoidable_tokens: 7,
    });
    expect(counted).toHaveLength(1);
  }));

test("a pass ends when all is counted, and when the thread that counts dies", () =>
  inSession(async (archive, pk) => {
    const { counting, sent, say, fail } = counterOf(archive);
    const first = counting.next();
    await settled();
    say({ type: "done", run: 1 });
    expect(await first).toBe(false);
    // Nothing was written since.
    expect(await counting.next()).toBe(false);
    expect(sent).toHaveLength(1);
    counting.want(pk);
    expect(counting.isWanted).toBe(true);
    const second = counting.next();
    await settled();
    fail();
    expect(await second).toBe(true);
  }));

test("a write that the disk refuses stops the pass, and nothing else", () =>
  inSession(async (archive, pk) => {
    const { counting, say } = counterOf(archive);
    const pass = counting.next();
    await settled();
    archive.sqlite.exec("CREATE TRIGGER full BEFORE INSERT ON token_counts BEGIN SELECT RAISE(FAIL, 'full'); END");
    say({ type: "counts", tokenizer: "words", counts: [[Buffer.from("0123456789abcdef"), 1]] });
    expect(await pass).toBe(false);
    say({ type: "counted", run: 1, pk, counted: 1, recount: null });
    await settled();
    expect(archive.turn.isWanted).toBe(false);
  }));

test("a session that a pass came to the end of is left out until it is another version", () =>
  inSession(async (archive, pk) => {
    const { counting, sent, say } = counterOf(archive);
    const pass = counting.next();
    await settled();
    const version = archive.sqlite.prepare("SELECT version FROM sessions WHERE pk = ?").pluck().get(pk) as number;
    say({ type: "verdict", run: 1, pk, summary: { version, sparkline: null, top: null }, verdict: null });
    say({ type: "done", run: 1 });
    await pass;
    const pksOfNext = async (): Promise<readonly number[]> => {
      counting.noteWrite();
      const next = counting.next();
      await settled();
      counting.stop();
      await next;
      return sent.flatMap((message) => (message.type === "count" ? [message.pks] : [])).at(-1)!;
    };
    expect(await pksOfNext()).not.toContain(pk);
    archive.sqlite.prepare("UPDATE sessions SET version = version + 1 WHERE pk = ?").run(pk);
    expect(await pksOfNext()).toContain(pk);
  }));
