// The texts of a session that went on: those that are the same stay as rows, and the others are as if all had been written anew.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CataloguedText, CataloguedTexts } from "#lib/archive/exports/catalogue-session.ts";
import type { Fleet } from "./open-fleet.ts";
import { writeTexts } from "./session-texts.ts";
import { openTestFleet, skippedFor, testFleet } from "./testing-fleet.ts";

const found = await testFleet();
const SESSION = { project: "team", session: "s_grown" };

const TEXT = fc.record({
  ...{ seq: fc.nat(12), piece: fc.integer({ min: -1, max: 1 }), kind: fc.constantFrom("user", "artifact") },
  ...{ tool: fc.constantFrom("", "bash"), ts: fc.option(fc.nat(3)), tokens: fc.nat(2), isError: fc.boolean() },
  ...{ text: fc.constantFrom("a keel", "src/hull.ts", "a\0b", ""), file: fc.constantFrom("", "hull.ts") },
});
/** Of a session: each event has a text of a kind and a piece once. */
const TEXTS = fc.uniqueArray(TEXT, { selector: ({ seq, piece, kind }) => `${seq} ${piece} ${kind}`, maxLength: 12 });

/** As they are read: the events part by part, in their order. */
async function* inParts(texts: readonly CataloguedText[], size: number): AsyncGenerator<CataloguedTexts> {
  const end = Math.max(-1, ...texts.map(({ seq }) => seq)) + 1;
  for (let from = 0; from < end; from += size) {
    const to = Math.min(end, from + size);
    yield { from, to, texts: texts.filter(({ seq }) => seq >= from && seq < to) };
  }
}

describe.skipIf("missing" in found)(`texts of a session${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const write = (texts: readonly object[], size = 5, session = SESSION): Promise<string | null> =>
    fleet.sql.begin((tx) => writeTexts(tx, session, inParts(texts as readonly CataloguedText[], size))) as Promise<
      string | null
    >;
  const rows = (session = SESSION.session) =>
    fleet.sql<{ key: string; version: string; all: string }[]>`
      SELECT concat_ws(' ', seq, piece, kind) AS key, xmin::text AS version,
        concat_ws('|', seq, piece, kind, tool, at, tokens, is_error, text, file, words, file_words, print) AS all
      FROM session_texts WHERE project = ${SESSION.project} AND session = ${session} ORDER BY seq, piece, kind`;

  test("are what a first writing makes of them, and those that are the same are not written", () =>
    fc.assert(
      fc.asyncProperty(TEXTS, TEXTS, fc.integer({ min: 1, max: 13 }), async (before, later, size) => {
        await write(before);
        const old = new Map((await rows()).map((row) => [row.key, row]));
        await write(later, size);
        const now = await rows();
        await fleet.sql`DELETE FROM session_texts WHERE session = 's_anew'`;
        await write(later, 5, { ...SESSION, session: "s_anew" });
        expect(now.map(({ all }) => all)).toEqual((await rows("s_anew")).map(({ all }) => all));
        for (const row of now)
          expect(row.version === old.get(row.key)?.version, row.key).toBe(row.all === old.get(row.key)?.all);
      }),
      { numRuns: 40 },
    ));

  test("that an older node wrote are written once more", async () => {
    const text = {
      ...{ seq: 1, piece: 0, kind: "user", tool: "", ts: null, tokens: 1, isError: false, text: "a keel", file: "" },
    };
    await write([text]);
    await fleet.sql`UPDATE session_texts SET print = NULL, words = ''`;
    await write([text]);
    expect((await rows()).map(({ all }) => all)).toEqual([expect.stringMatching(/'keel':2.*\|[0-9a-f-]{36}$/)]);
  });
});
