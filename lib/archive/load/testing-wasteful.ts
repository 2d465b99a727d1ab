// A session with certain waste, for tests of what is said of it. Seconds count from 2026-01-05, 09:00 UTC.
import { answer, asks, idOf, line, prompt, result, text, used } from "#lib/formats/claude-code/testing-claude.ts";

const WORDS = "stone ".repeat(9000);
export const FILE = { file_path: "/home/ada/harbour/src/server.ts" };

/** A session that reads one file of 9,000 tokens twice, and goes on for 30 calls: the second copy is certain waste. */
export function wasteful(label: string, from: number, file: object = FILE): unknown[] {
  const more = { sessionId: idOf(label) };
  const step = (n: number, block: unknown, write: number): unknown =>
    answer(`${label}${n}`, from + n, `${label}-m${n}`, block, { usage: used(3, 12_000 + n * 10, write, 20), more });
  return [
    prompt(`${label}p`, from, "Look", more),
    step(1, asks(`${label}a`, "Read", file), 12_000),
    result(`${label}ra`, from + 1.5, `${label}a`, WORDS, more),
    step(2, asks(`${label}b`, "Read", file), 9000),
    result(`${label}rb`, from + 2.5, `${label}b`, WORDS, more),
    ...Array.from({ length: 30 }, (_, n) =>
      answer(`${label}${n + 3}`, from + n + 3, `${label}-n${n}`, text(`Step ${n}`), {
        usage: used(3, 30_000 + n * 20, n === 0 ? 9000 : 20, 20),
        more,
      }),
    ),
  ];
}

/** Its agent compacts such a session by itself. */
export const compactedAt = (label: string, second: number): unknown =>
  line("system", `${label}cut`, second, {
    sessionId: idOf(label),
    subtype: "compact_boundary",
    compactMetadata: { trigger: "auto", preTokens: 90_000 },
  });

/** On each of the days before `end` a call of two tools, whose halves are no whole numbers (seconds after 5 January 2026, 9:00 UTC). */
export const calledTwice = (end: number, days: number): unknown[] => [
  prompt("800", end - days * 86_400, "Look twice", { sessionId: idOf("twice") }),
  ...Array.from({ length: 2 * days }, (_, n) => {
    const day = Math.floor(n / 2);
    const asked = asks(`t${n}`, ["Glob", "Grep"][n % 2]!, {});
    return answer(`81${n}`, end - (days - day) * 86_400 + 2 + n, `two${day}`, asked, {
      usage: used(11, 0, 0, 3),
      more: { sessionId: idOf("twice") },
    });
  }),
];
