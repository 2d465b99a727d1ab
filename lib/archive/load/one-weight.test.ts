// One weight for one thing: every verb that a page, a command or a route asks says the same of an event. Real sessions are
// held against themselves, door by door; where they are absent a synthetic one remains.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  answer,
  asks,
  jsonl,
  line,
  prompt,
  result,
  SESSION,
  text,
  used,
} from "#lib/formats/claude-code/testing-claude.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { ORIGINS } from "#lib/wire/common-schema.ts";
import { eventsQuery, type EventView } from "#lib/wire/events-schema.ts";
import type { LedgerAnswer, LedgerItemRow } from "#lib/wire/ledger-schema.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { artifactHistory } from "../sessions/artifact-lineage.ts";
import { countSession } from "./count-tokens.ts";
import { findSession } from "../base/find-session.ts";
import { heaviest } from "./heaviest.ts";
import { importPaths } from "../import/import-paths.ts";
import { listArtifacts } from "../sessions/list-artifacts.ts";
import { getEvent, listEvents } from "../sessions/list-events.ts";
import { listTools } from "../sessions/list-tools.ts";
import { contextOf } from "../memory/context.ts";
import { memoryOf } from "../memory/session-memory.ts";
import { outline } from "../sessions/outline.ts";
import { sessionLedger } from "./session-ledger.ts";
import { sessionLoad } from "./session-load.ts";
import { showArtifact } from "../sessions/show-artifact.ts";
import { inArchive, put } from "../testing-archive.ts";

const DATA = join(import.meta.dirname, "../../../../shared/data");
const REAL = [
  "claude-code/entire-cli/6113e919-67d3-417b-b525-c63700228d19.jsonl",
  "claude-code/entire-cli/9e2434f3-c800-4ed9-b78e-e494ef59bd78.jsonl",
  "claude-code/entire-cli/e8106766-ab6a-43ed-8849-77d5114eaff1.jsonl",
  "claude-code/spotter/-home-user-projects-spotter/258c7280-ae70-4798-800f-63464d01a85d.jsonl",
  "codex/agentv/rollout-019eef3d-abd1-72e1-ab99-dcdb259027c5.jsonl",
].map((path) => join(DATA, path));
const isHere = REAL.every((path) => existsSync(path));
if (!isHere) console.warn("one-weight.test.ts: ../shared/data is absent; the collected sessions are not weighed.");

/** An agent that reads, is compacted, has an old result cleared without a word, and a plan that it did not write. */
const SYNTHETIC = jsonl(
  prompt("1", 1, "Look at the tides"),
  answer("2", 2, "a", asks("t1", "Read", { file_path: "/tides.csv" }), { usage: used(2, 0, 30_000, 40) }),
  result("3", 3, "t1", "high low ".repeat(4000)),
  answer("4", 4, "b", asks("t2", "Read", { file_path: "/moon.csv" }), { usage: used(2, 30_000, 11_500, 40) }),
  result("5", 5, "t2", "new full ".repeat(4000)),
  answer("6", 6, "c", asks("t3", "ExitPlanMode", { plan: "dig ".repeat(900) }), { usage: used(2, 41_500, 11_200, 40) }),
  result("7", 7, "t3", "approved"),
  answer("8", 8, "d", text("I dig."), { usage: used(2, 52_700, 200, 12) }),
  prompt("9", 9, "Go on"),
  answer("10", 10, "e", text("It is dug."), { usage: used(2, 30_000, 11_700, 12) }),
  line("system", "11", 11, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 41_720 } }),
  prompt("12", 12, "The harbour is dug.", { isCompactSummary: true }),
  answer("13", 13, "f", text("Then I rest."), { usage: used(2, 0, 31_000, 12) }),
);

type Answers = {
  readonly archive: Archive;
  readonly id: string;
  readonly ledger: LedgerAnswer;
  readonly items: ReadonlyMap<number, LedgerItemRow>;
  readonly events: readonly EventView[];
};

async function answersOf(archive: Archive, path: string): Promise<Answers> {
  const { files } = await importPaths(archive, [path]);
  const id = files[0]!.sessions[0]!;
  await countSession(archive, findSession(archive, id));
  const ledger = await sessionLedger(archive, id);
  const items = new Map(ledger.items.flatMap((item) => (item.seq === null ? [] : [[item.seq, item] as const])));
  const events: EventView[] = [];
  for (let from: number | null = 1; from !== null;) {
    const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(
      archive,
      id,
      eventsQuery.parse({ from, limit: 500 }),
    );
    events.push(...page.events);
    from = page.next;
  }
  return { archive, id, ledger, items, events };
}

const weightIn = ({ items }: Answers, { seq, tokens, origin }: Pick<EventView, "seq" | "tokens" | "origin">) => {
  const item = items.get(seq);
  return item === undefined ? { tokens, origin } : { tokens: item.tokens, origin: item.origin };
};

async function sameEverywhere(answers: Answers): Promise<void> {
  const { archive, id, ledger, items, events } = answers;
  // Transcript and `events --json`.
  for (const event of events) expect(event).toMatchObject(event.tokens === null ? {} : weightIn(answers, event));
  for (const { seq, tokens } of events.filter((_, i) => i % 50 === 0))
    expect((await getEvent(archive, id, seq)).tokens).toBe(tokens);
  const known = new Map(events.map((event) => [event.seq, event]));
  const tokensAt = (seq: number): number => known.get(seq)?.tokens ?? 0;
  // What a tokenizer alone counts of the same text.
  const textOf = new Map(events.map(({ seq, textTokens }) => [seq, textTokens]));
  for (const { seq, textTokens } of ledger.items)
    if (seq !== null) expect([seq, textTokens]).toEqual([seq, textOf.get(seq)]);
  // Its outline: a row is an event, with the result of its call.
  const rows = await outline(archive, id);
  for (const [i, seq] of rows.seq.entries()) {
    const pair = rows.pair[i]!;
    expect(rows.tokens[i]).toBe(tokensAt(seq) + (pair === 0 ? 0 : tokensAt(pair)));
    if (pair === 0 && known.get(seq)?.tokens != null) expect(ORIGINS[rows.origins[i]!]).toBe(known.get(seq)!.origin);
  }
  // Tools and their sums, `show`, the chart.
  const tools = await listTools(archive, id);
  for (const row of tools.interactions) {
    const item = row.resultSeq === null ? undefined : items.get(row.resultSeq);
    expect(row.tokens).toBe(row.resultSeq === null ? 0 : tokensAt(row.resultSeq));
    if (row.resultSeq !== null) expect(row.callsResident).toBe(item?.callsResident ?? 0);
    if (item !== undefined) expect(row.lifetimeTokens).toBe(item.lifetimeTokens);
  }
  const sum = (of: (item: LedgerItemRow) => number): number =>
    ledger.items.filter(({ seq, kind }) => seq !== null && kind === "result").reduce((all, item) => all + of(item), 0);
  expect(tools.totals.reduce((all, { lifetimeTokens }) => all + lifetimeTokens, 0)).toBe(
    sum(({ lifetimeTokens }) => lifetimeTokens),
  );
  for (const { seq, tokens, callsResident, lifetimeTokens, origin } of await heaviest(archive, id))
    expect(items.get(seq)).toMatchObject({ tokens, callsResident, lifetimeTokens, origin });
  const load = await sessionLoad(archive, id);
  for (const { entered } of load.calls)
    for (const one of entered) expect(items.get(one.seq)).toMatchObject({ tokens: one.tokens, origin: one.origin });
  // Artifacts.
  const { artifacts } = await listArtifacts(archive, artifactsQuery.parse({ session: id, limit: 100 }));
  for (const { pointer, seq } of artifacts.filter((one) => one.seq !== null)) {
    const { lineage } = await artifactHistory(archive, pointer);
    const item = items.get(seq!);
    expect(lineage).toMatchObject({ seen: { tokens: tokensAt(seq!) }, callsResident: item?.callsResident ?? 0 });
    const shown = await showArtifact(archive, pointer);
    if (shown.saw === "full" && shown.tokens !== null) expect(shown.tokens).toBe(tokensAt(seq!));
  }
  // Compactions: of the transcript, of its outline, of the chart, of memory.
  const sizes = new Map(rows.compactions.map(({ seq, ...size }) => [seq, size]));
  for (const { seq, tokensBefore, tokensAfter } of load.compactions)
    expect(sizes.get(seq)).toEqual({ tokensBefore, tokensAfter });
  for (const { at, kind, tokensBefore, tokensAfter } of (await memoryOf(archive, id)).compactions)
    if (kind === "agent") expect(sizes.get(at)).toEqual({ tokensBefore, tokensAfter });
  for (const { kind, seq, tokens } of ledger.blowUps)
    if (kind === "compaction") expect(sizes.get(seq)?.tokensBefore).toBe(tokens);
  for (const event of events)
    if (event.type === "compaction" && event.sizes !== null)
      expect(event.sizes).toEqual({
        before: sizes.get(event.seq)!.tokensBefore,
        after: sizes.get(event.seq)!.tokensAfter,
      });
}

/** Context: what a call was sent, message by message, is what the ledger has for it. */
async function sameContext({ archive, id, ledger, events }: Answers, every: number): Promise<void> {
  const hidden = (call: number): number =>
    ledger.items
      .filter((item) => item.seq === null && item.kind !== "prefix" && item.kind !== "unattributed")
      .filter(({ enteredAt, leftAt }) => enteredAt <= call && (leftAt === null || leftAt > call))
      .reduce((sum, { tokens }) => sum + tokens, 0);
  const textOf = new Map(events.map((event) => [event.seq, event.textTokens]));
  for (const { call, seq, visible, prefix } of ledger.calls.filter((_, k) => k % every === 0)) {
    const answered = events.find((event) => event.call === call);
    if (answered === undefined) continue;
    const { at, tokens, messages, ...context } = await contextOf(archive, id, contextQuery.parse({ at: answered.seq }));
    expect(at).toBe(seq - 1);
    expect(context.prefix).toBe(prefix);
    // What pairing made stands in no log, and so in no ledger.
    const made = messages
      .filter((one) => one.synthetic || one.seqs.length === 0)
      .reduce((sum, one) => sum + one.tokens, 0);
    expect([call, tokens - made + hidden(call)]).toEqual([call, visible]);
    for (const one of messages.filter(({ textTokens }) => textTokens !== null))
      expect(one.textTokens).toBe(one.seqs.reduce((sum, own) => sum + (textOf.get(own) ?? 0), 0));
  }
}

test("a synthetic session weighs the same behind every door", () =>
  inArchive(async (archive, logs) => {
    const answers = await answersOf(archive, put(logs, `${SESSION}.jsonl`, SYNTHETIC));
    expect(answers.items.size).toBeGreaterThan(8);
    // The first result left without a word before the fifth call.
    expect(answers.items.get(3)).toMatchObject({ enteredAt: 2, leftAt: 5, callsResident: 3 });
    await sameEverywhere(answers);
    await sameContext(answers, 1);
    const context = await contextOf(archive, answers.id, contextQuery.parse({ at: 10 }));
    expect(context.messages.flatMap(({ textTokens }) => textTokens ?? []).length).toBeGreaterThan(5);
    expect(context.messages.filter(({ hasLeft }) => hasLeft).map(({ seqs }) => seqs)).toEqual([[3]]);
    expect(context.reported! - context.tokens).toBe(
      answers.ledger.calls[4]!.prefix + answers.ledger.calls[4]!.unattributed,
    );
  }));

test("commands that count what the server has not counted yet say one number", () =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, `${SESSION}.jsonl`, SYNTHETIC)]);
    const id = files[0]!.sessions[0]!;
    const counted = { counted: true } as const;
    const ledger = await sessionLedger(archive, id, counted);
    const { events } = await listEvents(archive, id, eventsQuery.parse({ limit: 100 }), counted);
    const weights = new Map(events.map((event) => [event.seq, event.tokens]));
    for (const { seq, tokens } of ledger.items)
      if (seq !== null) expect([seq, weights.get(seq)]).toEqual([seq, tokens]);
    for (const one of await heaviest(archive, id, counted)) expect(one.tokens).toBe(weights.get(one.seq));
    const { messages } = await contextOf(archive, id, contextQuery.parse({ at: 8 }), counted);
    for (const { seqs, tokens } of messages)
      expect(tokens).toBe(seqs.reduce((sum, seq) => sum + (weights.get(seq) ?? 0), 0));
    // The background pass finds the same, and every page with it.
    await countSession(archive, findSession(archive, id));
    for (const { seq, tokens } of (await sessionLedger(archive, id)).items)
      if (seq !== null) expect(weights.get(seq)).toBe(tokens);
  }));

describe.skipIf(!isHere)("collected sessions", () => {
  test.each(REAL)("%s weighs the same behind every door", (path) =>
    inArchive(async (archive) => {
      const answers = await answersOf(archive, path);
      expect(basename(path)).not.toBe("");
      expect(answers.items.size).toBeGreaterThan(100);
      await sameEverywhere(answers);
      await sameContext(answers, 7);
    }),
  );
});
