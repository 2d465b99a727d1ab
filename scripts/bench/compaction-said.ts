// Logs of 1 to 2,000 messages of a person, with limits among them: whether the goal, the limits and the newest three messages are in
// the summary, at any budget from 1,000 characters.
import { oneLine } from "#lib/kernel/memory/extractive/line-text.ts";
import { extract } from "#lib/kernel/memory/extractive/extract.ts";
import { piecesOfEvents, type PieceEvent } from "#lib/kernel/memory/extractive/input-from-events.ts";
import { random } from "./generate-sessions.ts";

export type SaidResult = { readonly logs: number; readonly kept: number };

const TURNS = [1, 2, 3, 5, 10, 30, 60, 95, 120, 250, 500, 1000, 2000];
const BUDGETS = [1000, 1500, 2500, 5000, 12_000, 24_000];
const LIMITS = [
  "Never delete rows.",
  "Don't touch the public schema!",
  "Always write the test first.",
  "Niemals auf main pushen.",
  "不要删除任何行。",
];
const WORDS =
  "look at the importer again it still drops a row when its header has a quoted comma in lib/port/gate.ts".split(" ");

export const SAID_TASKS = {
  async "compaction-said"({ seed = 11 }: { readonly seed?: number }): Promise<SaidResult> {
    const next = random(seed);
    let [logs, kept] = [0, 0];
    for (const turns of TURNS)
      for (const budgetChars of BUDGETS) {
        const { events, must } = logOf(turns, next);
        const { text } = extract(piecesOfEvents(events), { budgetChars });
        logs++;
        if (text.length <= budgetChars && must.every((words) => text.includes(words))) kept++;
        else console.error(`${turns} turns at ${budgetChars}: ${must.find((words) => !text.includes(words))}`);
      }
    return { logs, kept };
  },
};

function logOf(turns: number, next: () => number): { events: PieceEvent[]; must: string[] } {
  const goal = "Move the harbour's tide log to streams.";
  const limits: string[] = [];
  const said = Array.from({ length: turns }, (_, i) => {
    const words = Array.from(
      { length: 3 + Math.floor(next() ** 3 * 300) },
      () => WORDS[Math.floor(next() * WORDS.length)],
    );
    const limit = LIMITS[limits.length];
    const isLimit = limit !== undefined && next() < Math.max(0.05, LIMITS.length / turns);
    if (isLimit) limits.push(limit);
    return `${i === 0 ? `${goal} ` : ""}Message ${i}. ${words.join(" ")}.${isLimit ? ` ${limit}` : ""}`;
  });
  const events = said.flatMap((text, i): PieceEvent[] => [
    { seq: 2 * i + 1, artifact: null, body: { type: "user", text } },
    {
      seq: 2 * i + 2,
      artifact: null,
      body: { type: "assistant", text: `Part ${i} reads pier_${i}.log in readPier${i} now.` },
    },
  ]);
  const newest = said.slice(-3).map((_, i, all) => oneLine(`Message ${turns - all.length + i}.`));
  return { events, must: [goal, ...limits, ...newest.slice(turns <= 3 ? 1 : 0)] };
}
