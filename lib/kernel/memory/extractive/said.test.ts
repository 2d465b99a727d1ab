import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isConstraint } from "./constraints.ts";
import { extract } from "./extract.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import { oneLine } from "./line-text.ts";
import type { Piece } from "./piece.ts";
import { sentencesOf } from "./sentences.ts";
import { assistant, call, eventsOf, result, user } from "./testing-log.ts";

const LIMITS = [
  "Never delete rows.",
  "Always run the linter before you commit.",
  "You must not rename the table.",
  "Don't touch the public schema!",
  "Only the importer may write.",
  "Niemals den Hauptzweig ändern.",
  "N'utilise jamais de récursion.",
  "Nunca borres los registros.",
  "Никогда не удаляй строки.",
  "不要删除任何行。",
  "絶対にテーブルを消さないで。",
  "절대 행을 지우지 마세요.",
] as const;

test.each(LIMITS)("%s sets a limit", (sentence) => {
  expect(isConstraint(sentence)).toBe(true);
});

test.each(["Go on.", "Rename the file to a.ts.", "Mustard is yellow.", "The lonely parser works.", "Weiter so."])(
  "%s sets none",
  (sentence) => {
    expect(isConstraint(sentence)).toBe(false);
  },
);

/** The characters of a message that are there in one stretch from its beginning. */
function beginningIn(text: string, message: string): number {
  const whole = oneLine(message);
  let [least, most] = [0, whole.length];
  while (least < most) {
    const half = (least + most + 1) >> 1;
    if (text.includes(whole.slice(0, half))) least = half;
    else most = half - 1;
  }
  return least;
}

/** What holds of every summary, whatever the log and the budget from 1,000 characters on. */
function expectKept(pieces: readonly Piece[], text: string, budget: number): void {
  const messages = pieces.filter(({ kind, text: said }) => kind === "user" && oneLine(said) !== "");
  if (messages.length === 0) return;
  const goal = oneLine(sentencesOf(messages[0]!.text)[0]!.text);
  expect(beginningIn(text, goal)).toBeGreaterThanOrEqual(Math.min(goal.length, Math.floor(budget * 0.3) - 2));
  for (const { text: said } of messages.slice(-3)) {
    const first = oneLine(sentencesOf(said)[0]!.text);
    expect(beginningIn(text, first)).toBeGreaterThanOrEqual(Math.min(first.length, Math.floor(budget * 0.05) - 2));
  }
  const limits = new Set(
    messages.flatMap(({ text: said }) => sentencesOf(said).map((one) => oneLine(one.text))).filter(isConstraint),
  );
  const size = [...limits].reduce((sum, { length }) => sum + length, 0);
  const longest = [...limits].reduce((most, { length }) => Math.max(most, length), 0);
  if (size <= budget / 3 && longest <= budget / 12)
    expect([...limits].filter((limit) => !text.includes(limit))).toEqual([]);
  const shown = messages
    .slice(1)
    .filter(({ text: said }) => beginningIn(text, said) >= Math.min(12, oneLine(said).length));
  const [, leftOut] = /^## User messages \(\d+ shown, (\d+) left out\)$/m.exec(text) ?? [];
  // Words of a message may stand elsewhere, too: in the evidence.
  expect(Number(leftOut ?? 0)).toBeGreaterThanOrEqual(messages.length - 1 - shown.length);
}

const filler = fc.constantFrom(
  "go on",
  "ok",
  "Please look at the importer again, it still drops a row when the header has a quoted comma.",
  "Rename parseLine to readLine in lib/port/gate.ts.",
  `A long page. ${"It tells of weather and of nothing else. ".repeat(60)}`,
  "x".repeat(4000),
  "次の手順に進んでください。",
  "a\nb\nc",
);
const message = fc.oneof(
  { weight: 5, arbitrary: filler },
  { weight: 1, arbitrary: fc.constantFrom(...LIMITS) },
  { weight: 1, arbitrary: fc.tuple(filler, fc.constantFrom(...LIMITS), filler).map((parts) => parts.join(" ")) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 300 }) },
);
const count = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 40, max: 300 }),
  fc.integer({ min: 300, max: 2000 }),
);
const log = fc
  .tuple(count, fc.array(message, { minLength: 1, maxLength: 60 }), fc.boolean())
  .map(([turns, texts, hasWork]) =>
    piecesOfEvents(
      eventsOf(
        Array.from({ length: turns }, (_, i) => [
          user(i % 3 === 0 ? texts[i % texts.length]! : `${texts[i % texts.length]!} (turn ${i})`),
          assistant(`Turn ${i} is done: \`step${i}Of\` now returns rows.`),
          ...(hasWork
            ? [
                call(`c${i}`, "Bash", { command: `make step-${i}` }),
                result(`c${i}`, `error: step ${i}`, { exitCode: 1 }),
              ]
            : []),
        ]).flat(),
      ),
    ),
  );
const budget = fc.oneof(fc.integer({ min: 1000, max: 3000 }), fc.integer({ min: 1000, max: 24_000 }));

test("the goal, the limits and the newest three messages are there, for any log and any budget from 1,000", () => {
  fc.assert(
    fc.property(log, budget, (pieces, budgetChars) => {
      const { text } = extract(pieces, { budgetChars });
      expect(text.length).toBeLessThanOrEqual(budgetChars);
      expectKept(pieces, text, budgetChars);
    }),
    { numRuns: 60 },
  );
});

describe("of many messages", () => {
  const many = (turns: number, at: Readonly<Record<number, string>> = {}): Piece[] =>
    piecesOfEvents(
      eventsOf(
        Array.from({ length: turns }, (_, i) => [
          user(at[i] ?? `Now do step ${i} of the plan that we made.`),
          assistant(`Step ${i} is done.`),
        ]).flat(),
      ),
    );

  test("the goal, a limit of the middle and the newest are there, and it is said how many are not", () => {
    const pieces = many(120, { 0: "Move the importer to streams. It is slow.", 40: "Never delete rows." });
    const { text } = extract(pieces, { budgetChars: 3000 });
    expect(text).toContain("- Move the importer to streams. It is slow. [event 1]");
    expect(text).toContain("- Never delete rows. [event 81]");
    for (const i of [117, 118, 119]) expect(text).toContain(`- Now do step ${i} of the plan that we made.`);
    const shown = text.match(/^- Now do step/gm)!.length;
    expect(text).toContain(`## User messages (${shown + 1} shown, ${118 - shown} left out)`);
  });

  test("the particular is told before the ordinary, the newer before the older", () => {
    const pieces = many(400, { 300: "The flag MAX_ROWS in lib/port/gate.ts stays at 5000 for the nightly export." });
    const { text } = extract(pieces, { budgetChars: 3000 });
    expect(text).toContain("MAX_ROWS in lib/port/gate.ts");
    expect(text).toContain("step 396");
    expect(text).not.toContain("step 200");
  });

  test("the same words again are told once", () => {
    const { text } = extract(many(60, Object.fromEntries(Array.from({ length: 59 }, (_, i) => [i + 1, "go on"]))), {
      budgetChars: 3000,
    });
    expect(text).not.toContain("left out");
    expect(text.match(/^- go on/gm)!.length).toBeLessThanOrEqual(3);
  });
});
