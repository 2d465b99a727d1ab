import { expect, test } from "vitest";
import { compactAnswer, compactRequest, type CompactRequest } from "#lib/wire/memory-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive } from "../testing-archive.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { contextOf } from "./context.ts";
import { readCompaction } from "./read-compaction.ts";
import { seqsIn, tellTurns } from "./testing-run.ts";

const inSession = (run: (archive: Archive, id: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await tellTurns(archive, id, 6);
    await run(archive, id);
  });

const compact = async (archive: Archive, id: string, wanted: Partial<CompactRequest>) =>
  compactAnswer.parse(await compactSession(archive, id, compactRequest.parse({ tail: 2, ...wanted })));

test("an edited summary is kept as it stands, weighed anew, and undone like any other", () =>
  inSession(async (archive, id) => {
    const before = await seqsIn(archive, id);
    const dry = await compact(archive, id, {});
    const [head, first, ...rest] = dry.lines;
    const added = { text: "The harbour master wants the report on Monday.", seqs: [] };
    // One line goes, one comes, the others stand in another order.
    const lines = [head!, added, ...rest.toReversed()];
    const shown = await compact(archive, id, { lines });
    expect(shown.summary).toBe(lines.map(({ text }) => text).join("\n"));
    expect(shown.lines.filter(({ by }) => by === "person")).toEqual([{ ...added, by: "person" }]);
    expect(shown.summary).not.toContain(first!.text);
    expect(shown.tokensAfter).not.toBe(dry.tokensAfter);
    expect(shown.tokensAfter).toBe(shown.snapshot.reduce((sum, { tokens }) => sum + tokens, 0));

    const done = await compact(archive, id, { lines, dryRun: false });
    expect(done).toMatchObject({ status: "complete", summary: shown.summary, tokensAfter: shown.tokensAfter });
    const kept = await readCompaction(archive, done.id!);
    expect(kept.lines).toEqual(shown.lines);
    const { messages } = await contextOf(archive, id, { as: "openai-chat" });
    expect(messages.some(({ label }) => label.includes("Summary of turns"))).toBe(true);
    await undoCompaction(archive, done.id!);
    expect(await seqsIn(archive, id)).toEqual(before);
  }));

test("the same lines are the summarizer's own, and who wrote a line cannot be claimed", () =>
  inSession(async (archive, id) => {
    const dry = await compact(archive, id, {});
    const same = await compact(archive, id, { lines: dry.lines.map(({ text, seqs }) => ({ text, seqs })) });
    expect(same.lines).toEqual(dry.lines);
    expect(same.tokensAfter).toBe(dry.tokensAfter);
    expect(compactRequest.safeParse({ lines: [{ text: "x", by: "person" }] }).success).toBe(false);
  }));

test("a secret in an edited line is masked, as in any summary", () =>
  inSession(async (archive, id) => {
    const token = `ghp_${"m5".repeat(18)}`;
    const { summary } = await compact(archive, id, { lines: [{ text: `Use ${token}`, seqs: [] }] });
    expect(summary).not.toContain(token);
  }));

test("what cannot be a summary is refused, and nothing is written", () =>
  inSession(async (archive, id) => {
    const refused = (wanted: Partial<CompactRequest>) => compact(archive, id, wanted).catch((error: Error) => error);
    const huge = Array.from({ length: 50 }, () => ({ text: "x".repeat(9000), seqs: [] }));
    expect(await refused({ lines: [{ text: "  ", seqs: [] }] })).toMatchObject({ code: "invalid" });
    expect(await refused({ lines: [{ text: "x", seqs: [99_999] }] })).toMatchObject({ code: "invalid" });
    expect(await refused({ lines: huge })).toMatchObject({ code: "too_large" });
    expect(compactRequest.safeParse({ lines: [] }).success).toBe(false);
    expect(archive.sqlite.prepare("SELECT count(*) FROM compactions").pluck().get()).toBe(0);
  }));
