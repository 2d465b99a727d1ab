import { expect, test } from "vitest";
import { factsOfSummary } from "./summary-facts.ts";

// As some agents write theirs (synthetic).
const SUMMARY = `This session is being continued from a previous conversation.
Analysis:
The person wants the export to be fast.

Summary:
1. Primary Request and Intent:
   The person asked to move the nightly export to streams. It takes hours now.
   - Never delete rows of the live table.

2. Key Technical Concepts:
   - We switched from full snapshots to a write-ahead log because restarts were slow.
   - Cursors

3. Files and Code Sections:
   - lib/export.ts
\`\`\`ts
const only = must;
\`\`\`

6. All user messages:
   - "Always write the test first."
   - "go on"

7. Pending Tasks:
   - Tell it in the changelog.
   - Measure the export again.
`;

test("goal, limits, choices and open steps of an agent's own summary are facts", () => {
  expect(factsOfSummary(SUMMARY).map(({ fact, category }) => [category, fact])).toEqual([
    ["unresolved_work", "goal: The person asked to move the nightly export to streams."],
    ["unresolved_work", "to do: Tell it in the changelog."],
    ["unresolved_work", "to do: Measure the export again."],
    ["user_preference", "Never delete rows of the live table."],
    ["user_preference", '"Always write the test first."'],
    ["durable_fact", "chose write-ahead log; gave up full snapshots"],
    ["durable_fact", "We switched from full snapshots to a write-ahead log because restarts were slow."],
  ]);
});

test("that nothing is open, and what the agent's frame says, are no steps", () => {
  const open = (...lines: string[]) =>
    factsOfSummary(["7. Pending Tasks:", ...lines.map((line) => `   - ${line}`)].join("\n"));
  expect(open("None explicitly requested - the fix was applied", "No pending tasks.")).toEqual([]);
  const frame =
    "If you need specific details from before compaction (like exact code), read the full transcript at: /x.jsonl";
  expect(open("Nonempty buffers are flushed late.", frame).map(({ fact }) => fact)).toEqual([
    "to do: Nonempty buffers are flushed late.",
  ]);
});

test("a summary without sections has no facts of its own", () => {
  expect(factsOfSummary("The piers were looked at, and all of them are sound.")).toEqual([]);
});

test("a numbered sentence is no heading, and a number alone no goal", () => {
  const facts = factsOfSummary(`Analysis:
3. I created a task list with five tasks and began.

4. **Step 1: Wrote tests** in \`quay_test.go\`.

Summary:
1. Primary Request and Intent:
   4. The user asked me to mend the quay.
`);
  expect(facts.filter(({ tags }) => tags?.includes("goal")).map(({ fact }) => fact)).toEqual([
    "goal: The user asked me to mend the quay.",
  ]);
});
