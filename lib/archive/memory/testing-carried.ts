// A session written by hand, for tests of what calls carried: two tool interactions, and a compaction that takes them.
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
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { put } from "../testing-archive.ts";

/** What event 5 returned: short, and JSON. */
export const CARRIED_OUTPUT = JSON.stringify({ berths: ["north", "south"] });

/** Event 2 asks, 3 answers; calls 2 to 4 carry both; a compaction takes them; call 5 has neither. */
const RECORDS = [
  prompt("1", 1, "Look at the berths"),
  answer("2", 2, "1", asks("t1", "Read", { file_path: "/early" }), { usage: used(1000, 0, 0, 1) }),
  result("3", 3, "t1", "early words ".repeat(900)),
  answer("4", 4, "2", asks("t2", "Bash", { command: "berths --json" }), { usage: used(0, 1000, 3000, 1) }),
  result("5", 5, "t2", CARRIED_OUTPUT),
  answer("6", 6, "3", text("two berths"), { usage: used(0, 4000, 100, 1) }),
  prompt("7", 7, "go on"),
  answer("8", 8, "4", text("b"), { usage: used(0, 4100, 100, 1) }),
  line("system", "9", 9, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 4300 } }),
  prompt("10", 10, "summary", { isCompactSummary: true }),
  answer("11", 11, "5", text("c"), { usage: used(500, 0, 0, 1) }),
];

/** Imports it from below `dir`; returns its native id. */
export async function importCarried(archive: Archive, dir: string): Promise<string> {
  await importPaths(archive, [put(dir, `logs/${SESSION}.jsonl`, jsonl(...RECORDS))]);
  return `claude-code:${SESSION}`;
}
