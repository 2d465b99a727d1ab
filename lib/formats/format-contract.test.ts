// The contract of a session format, for every one that the registry lists. A format's fixtures are the files
// `fixtures/<id>-synthetic-*`, written by hand; one without any fails here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDocument, type Draft, type SourceFile, type SourceRecord } from "#lib/kernel/draft.ts";
import { eventBody } from "#lib/kernel/event.ts";
import { FORMATS } from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const names = readdirSync(FIXTURES);

const fixturesOf = (id: string): string[] => names.filter((name) => name.startsWith(`${id}-synthetic-`));
const bytesOf = (name: string): Uint8Array => readFileSync(join(FIXTURES, name));
const fileOf = (path: string, bytes: Uint8Array): SourceFile => ({
  path,
  head: bytes.subarray(0, 65_536),
  sidecars: new Map(),
});

/** The lines of a file, as a reader cuts them. */
function recordsOf(bytes: Uint8Array): SourceRecord[] {
  const records: SourceRecord[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    const record = { bytes: bytes.subarray(start, end), byteStart: start, byteEnd: end, line };
    if (record.bytes.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d)) records.push(record);
    start = end + 1;
  }
  return records;
}

/** Non-blank bytes of a record that are in no event and in no problem; a record that tells anything else has none. */
function lostBytes(record: SourceRecord, drafts: readonly Draft[]): number {
  if (drafts.length === 0 && isEmptyChat(record)) return 0;
  const isWhole = drafts.some(
    (draft) => draft.kind !== "problem" && (draft.kind !== "event" || draft.byteStart === undefined),
  );
  if (isWhole) return 0;
  const covered = new Uint8Array(record.bytes.length);
  for (const draft of drafts)
    if (draft.kind === "problem" || draft.kind === "event")
      covered.fill(1, draft.byteStart! - record.byteStart, draft.byteEnd! - record.byteStart);
  return record.bytes.filter((byte, i) => byte > 0x20 && covered[i] === 0).length;
}

/** A chat of VS Code that was opened, and in which nothing was said, is no session. */
function isEmptyChat({ bytes }: SourceRecord): boolean {
  try {
    const { kind, v } = JSON.parse(Buffer.from(bytes).toString()) as { kind: unknown; v: { requests?: unknown[] } };
    return kind === 0 && (v.requests ?? []).length === 0;
  } catch {
    return false;
  }
}

const DAMAGE = ["\n", "\0\0\0", "{", "}", '{"a":', "}{", "\uFEFF", "\r\n", "nonsense", '"', "\\", "[[[[", "\u2028"];

test("there are formats, each with a name of its own, and each fixture belongs to one", () => {
  expect(FORMATS.length).toBeGreaterThanOrEqual(2);
  expect(new Set(FORMATS.map(({ id }) => id)).size).toBe(FORMATS.length);
  for (const name of names) expect(FORMATS.filter(({ id }) => name.startsWith(`${id}-synthetic-`))).toHaveLength(1);
});

describe.each(FORMATS)("$label", (format) => {
  const fixtures = fixturesOf(format.id);

  test.each(["linux", "darwin", "win32"])("on %s an empty variable is one that is not set", (os) => {
    const given = (unset: string | undefined): Readonly<Record<string, string | undefined>> =>
      new Proxy<Record<string, string | undefined>>(
        { HOME: "/home/ada" },
        { get: (own, name) => own[String(name)] ?? unset },
      );
    expect(format.sources(given(""), os)).toEqual(format.sources(given(undefined), os));
  });

  test("has a fixture, folders, and file names that it wants", () => {
    expect(fixtures.length).toBeGreaterThan(0);
    expect(Array.isArray(format.sources({ HOME: "/home/ada" }, "linux"))).toBe(true);
    expect(format.wants("notes.txt")).toBe(false);
  });

  describe.each(fixtures)("%s", (name) => {
    const bytes = bytesOf(name);
    const isWhole = isDocument(format, fileOf(name, bytes));
    const records = isWhole ? [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }] : recordsOf(bytes);
    const read = (
      parts: readonly SourceRecord[],
      state = format.start(fileOf(name, bytes)),
    ): { drafts: Draft[]; state: unknown } => ({
      drafts: parts.flatMap((record) => format.parse(record, state)),
      state,
    });

    test("is detected by its format alone, also from its first two lines", () => {
      const two = records[Math.min(1, records.length - 1)]!.byteEnd;
      for (const head of [bytes, bytes.subarray(0, two)])
        expect(FORMATS.filter((other) => other.detect(fileOf(name, head))).map(({ id }) => id)).toEqual([format.id]);
    });

    test("yields valid events, no problem, and a name", () => {
      const { drafts, state } = read(records);
      expect(drafts.filter(({ kind }) => kind === "problem")).toEqual([]);
      const events = drafts.filter((draft) => draft.kind === "event");
      expect(events.length).toBeGreaterThan(0);
      for (const { body, attachments } of events) {
        expect(eventBody.safeParse(body).error).toBeUndefined();
        if ("images" in body)
          for (const image of body.images ?? []) expect(attachments?.[image.attachment]).toBeDefined();
      }
      expect(format.identify(state)).toMatch(/./);
    });

    test("loses no line", () => {
      const state = format.start(fileOf(name, bytes));
      for (const record of records) {
        const drafts = format.parse(record, state);
        expect(drafts.length, `line ${record.line}`).toBeGreaterThan(0);
        expect(lostBytes(record, drafts), `line ${record.line}`).toBe(0);
      }
    });

    test("in pieces it says the same, and no piece has events of a call that only a later one tells", () => {
      const state = format.start(fileOf(name, bytes));
      const pieces = records.flatMap((record) => [
        ...(format.pieces?.(record, state) ?? [format.parse(record, state)]),
      ]);
      const whole = read(records);
      expect(pieces.flat()).toEqual(whole.drafts);
      expect(state).toEqual(whole.state);
      if (format.pieces === undefined) return;
      const told = new Map<string, number>();
      for (const [i, piece] of pieces.entries())
        for (const draft of piece) if (draft.kind === "call" && !told.has(draft.key)) told.set(draft.key, i);
      for (const [i, piece] of pieces.entries())
        for (const draft of piece)
          if (draft.kind === "event" && draft.callKey !== null)
            expect(told.get(draft.callKey) ?? 0).toBeLessThanOrEqual(i);
    });

    test("has each call once, and after it its result, or no result: then it is open", () => {
      const { drafts } = read(records);
      const request = new Map<string, number>();
      const answered = new Set<string>();
      for (const draft of drafts) {
        if (draft.kind !== "event") continue;
        const { body } = draft;
        const id = (toolCallId: string | null): string => `${draft.lane} ${toolCallId}`;
        if (body.type === "tool_call") request.set(id(body.toolCallId), (request.get(id(body.toolCallId)) ?? 0) + 1);
        if (body.type === "tool_result") answered.add(id(body.toolCallId));
      }
      expect([...request.values()].every((count) => count === 1)).toBe(true);
      expect([...answered].filter((id) => !request.has(id))).toEqual([]);
    });

    // A document that an agent imports is no file of sessions: opencode-carried.test.ts imports it.
    if (format.continuation?.handOver === undefined && format.continuation && name.endsWith("-session.jsonl"))
      test("goes on in a new file of its own", () => {
        const kept = records.map((record) => ({
          value: JSON.parse(new TextDecoder().decode(record.bytes)) as unknown,
          bytes: record.bytes.length,
          seqs: [],
          replaced: new Map<string, string>(),
        }));
        let ids = 0;
        const newId = (): string => `00000000-0000-4000-9000-${String(ids++).padStart(12, "0")}`;
        const id = format.continuation!.newSessionId(1_767_600_000_000, newId(), "0".repeat(32));
        const lines = [
          ...format.continuation!.lines({
            ...{
              origin: "the-old-one",
              title: "Tides (carried on)",
              cwd: "/home/ada",
              id,
              at: 1_767_600_000_000,
              newId,
            },
            ...{
              summary: "The summary.",
              tokensBefore: 9,
              head: kept.slice(0, 2).map(({ value }) => value),
              opening: null,
              records: kept,
            },
          }),
        ];
        expect(lines.filter(({ kind }) => kind === "summary")).toHaveLength(1);
        const made = new TextEncoder().encode(lines.map(({ text }) => `${text}\n`).join(""));
        const path = format.continuation!.fileName({ id, at: 1_767_600_000_000 });
        const head = fileOf(path, made);
        expect(FORMATS.filter((other) => other.detect(head)).map((other) => other.id)).toEqual([format.id]);
        const { drafts, state } = read(recordsOf(made), format.start(head));
        expect(drafts.filter(({ kind }) => kind === "problem")).toEqual([]);
        expect(format.identify(state)).toBe(id);
        expect(drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.parent ?? []) : []))).toContain(
          "the-old-one",
        );
        const own = drafts.flatMap((draft) => (draft.kind === "event" && draft.lane === "" ? [draft.body] : []));
        const idsOf = (type: string): string[] =>
          own.flatMap((body) =>
            body.type === type && "toolCallId" in body && body.toolCallId !== null ? [body.toolCallId] : [],
          );
        expect(idsOf("tool_result").toSorted()).toEqual(idsOf("tool_call").toSorted());
      });

    test("twice is the same, and half then half is the whole, over a state that was stored", () => {
      const whole = read(records);
      expect(read(records)).toEqual(whole);
      if (isWhole) return;
      fc.assert(
        fc.property(fc.nat(records.length), (cut) => {
          const first = read(records.slice(0, cut));
          const stored: unknown = JSON.parse(JSON.stringify(first.state));
          // As an import goes on.
          const second = read(records.slice(cut), format.resume?.(stored, fileOf(name, bytes)) ?? stored);
          expect([...first.drafts, ...second.drafts]).toEqual(whole.drafts);
          expect(JSON.parse(JSON.stringify(second.state))).toEqual(JSON.parse(JSON.stringify(whole.state)));
        }),
        { numRuns: 30 },
      );
    });

    test("any damage leaves every byte in an event or a problem, and events valid", () => {
      const wounds = fc.array(fc.tuple(fc.nat(bytes.length), fc.constantFrom(...DAMAGE), fc.nat(200)), {
        minLength: 1,
        maxLength: 4,
      });
      fc.assert(
        fc.property(wounds, (positions) => {
          let hurt = Buffer.from(bytes);
          for (const [at, what, cut] of positions)
            hurt = Buffer.concat([
              hurt.subarray(0, at),
              Buffer.from(what),
              hurt.subarray(Math.min(hurt.length, at + cut)),
            ]);
          const state = format.start(fileOf(name, hurt));
          for (const record of recordsOf(hurt)) {
            const drafts = format.parse(record, state);
            expect(lostBytes(record, drafts), JSON.stringify(Buffer.from(record.bytes).toString()).slice(0, 400)).toBe(
              0,
            );
            for (const draft of drafts) {
              if (draft.kind === "event") expect(eventBody.safeParse(draft.body).success).toBe(true);
              if (draft.kind !== "problem") continue;
              expect(draft.byteStart).toBeGreaterThanOrEqual(record.byteStart);
              expect(draft.byteEnd).toBeLessThanOrEqual(record.byteEnd);
              expect(draft.byteStart).toBeLessThan(draft.byteEnd);
              expect(draft.reason).toMatch(/\w+ \w+/);
            }
          }
        }),
        { numRuns: 150 },
      );
    });
  });
});
