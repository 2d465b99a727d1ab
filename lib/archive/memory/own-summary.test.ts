// The agent's own summary beside ours. The session is written by hand.
import { expect, test } from "vitest";
import { answer, asks, jsonl, line, prompt, result, SESSION, text } from "#lib/formats/claude-code/testing-claude.ts";
import { evidenceOf } from "#lib/kernel/memory/extractive/evidence.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";
import { ownComparison } from "#lib/wire/own-summary-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { join } from "node:path";
import { compareOwn } from "./own-summary.ts";
import { tellTurns } from "./testing-run.ts";

const NAME = `claude-code:${SESSION}`;
const OWN = "The harbourGauge was read; parseTide in lib/tide.ts must be mended.";
const COMPACTED = 40;

const turn = (n: number) => [
  prompt(`p${n}`, n * 4, `Look at pier ${n}: read the file`),
  answer(`a${n}`, n * 4 + 1, `m${n}`, asks(`t${n}`, "Read", { file_path: `/srv/pier/pier_${n}.ts` })),
  result(`r${n}`, n * 4 + 2, `t${n}`, `export const harbourGauge${n} = 1;\n`.repeat(200)),
  answer(`b${n}`, n * 4 + 3, `n${n}`, text(`Pier ${n} is read. parseTide and skipQuote${n} are in lib/tide.ts.`)),
];

const records = [
  ...[1, 2, 3, 4, 5, 6].flatMap(turn),
  // The compaction comes between a result and the call that would have been sent it.
  answer("a7", 30, "m7", asks("t7", "Read", { file_path: "/srv/pier/pier_7.ts" })),
  result("r7", 31, "t7", "export const pierSeven = 7;"),
  line("system", "cut", COMPACTED, {
    subtype: "compact_boundary",
    compactMetadata: { trigger: "auto", preTokens: 9000 },
  }),
  prompt("sum", COMPACTED + 1, OWN, { isCompactSummary: true }),
  prompt("next", COMPACTED + 2, "Now mend it"),
  answer("after", COMPACTED + 3, "after", text("I mend parseTide in lib/tide.ts, then skipQuote3.")),
];

const inSession = (run: (archive: Archive, seq: number) => Promise<void>): Promise<void> =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      await importPaths(archive, [put(dir, `logs/${SESSION}.jsonl`, jsonl(...records))]);
      const id = archive.sqlite.prepare("SELECT id FROM events WHERE type = 'compaction'").pluck().get() as number;
      await run(archive, id % 2 ** 32);
    }),
  );

const compare = async (archive: Archive, wanted: object = {}, name = NAME) =>
  ownComparison.parse(await compareOwn(archive, name, compactRequest.parse({ tail: 0, ...wanted })));

test("both summaries of one context are weighed, and judged by what the agent needed afterwards", () =>
  inSession(async (archive, seq) => {
    const { own, ours, isSameCut, whyNone } = await compare(archive, { at: seq - 2 });
    expect(own!.at).toBe(seq - 2);
    expect([isSameCut, whyNone, own!.seq, own!.text]).toEqual([true, null, seq, OWN]);
    // The context of the last call before it: the answer itself stands behind.
    expect(ours!.at).toBe(seq - 3);
    // parseTide, tide.ts with its path, skipQuote3: worked out by hand, and by the metric itself.
    expect(own!.evidence!.needed).toBeGreaterThanOrEqual(3);
    expect(own!.evidence!.entity).toBeLessThan(1);
    expect(own!.evidence!.entity).toBeGreaterThan(0);
    const piece = (kind: "assistant" | "user", words: string) => ({
      ...{ seq: 1, ref: "event 1", kind, text: words, toolName: null, command: null },
      ...{ files: [], open: null, exitCode: null, isError: false, artifact: null },
    });
    const byHand = evidenceOf(
      [piece("assistant", "Pier 3 is read. parseTide and skipQuote3 are in lib/tide.ts.")],
      [piece("assistant", "I mend parseTide in lib/tide.ts, then skipQuote3.")],
      OWN,
    );
    expect([own!.evidence!.needed, own!.evidence!.entity]).toEqual([byHand.needed, byHand.entity]);
    expect(ours!.evidence!.entity).toBe(1);
    expect(ours!.tokens).toBeGreaterThan(own!.tokens);
  }));

test("an edited summary is judged as it stands", () =>
  inSession(async (archive, seq) => {
    const lines = [{ text: "Mend skipQuote3.", seqs: [] }];
    const { ours, own } = await compare(archive, { at: seq - 2, lines });
    expect(ours!.text).toBe("Mend skipQuote3.");
    expect(ours!.evidence!.entity).toBeCloseTo(1 / own!.evidence!.needed);
  }));

test("another context is said to be another, and a session without a readable summary says why", () =>
  inSession(async (archive, seq) => {
    const early = await compare(archive, { at: seq - 6 });
    expect([early.isSameCut, early.own!.seq]).toEqual([false, seq]);
    expect((await compare(archive)).isSameCut).toBe(false);
    // Asked for behind its last call, the next one is shown: it was sent the summary.
    expect(await compare(archive, { at: seq - 1 })).toMatchObject({ ours: null, isSameCut: false });
    // The first event is all that stands there.
    expect((await compare(archive, { at: 1, tail: 1 })).ours).toBeNull();
    const { id } = await createSession(archive, { id: "run" });
    await tellTurns(archive, id, 6);
    expect(await compare(archive, {}, id)).toMatchObject({
      own: null,
      whyNone: "The agent did not compact this session.",
    });
  }));

test("a log that is too long is not judged, and the texts are still weighed", () =>
  inSession(async (archive, seq) => {
    archive.sqlite
      .prepare(
        "UPDATE events SET body = json_set(body, '$.text', ?) WHERE id = (SELECT id FROM events WHERE type = 'assistant' ORDER BY id DESC LIMIT 1)",
      )
      .run("x".repeat(33 * 1024 * 1024));
    const { own, ours } = await compare(archive, { at: seq - 2 });
    expect([own!.evidence, ours!.evidence]).toEqual([null, null]);
    expect(own!.tokens).toBeGreaterThan(0);
  }));
