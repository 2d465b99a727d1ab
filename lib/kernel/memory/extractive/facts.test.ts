import { expect, test } from "vitest";
import { factsOf } from "./facts.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import { assistant, call, eventsOf, result, user } from "./testing-log.ts";

// Two approaches, one chosen: what a later epoch has to know of it.
const PIECES = piecesOfEvents(
  eventsOf([
    user("Make the nightly export fast. Never delete rows. I prefer small commits."),
    assistant(
      "There are two approaches:\n1. Stream the rows through a cursor.\n2. Load the table into memory at once.\nWhich one?",
    ),
    user("Take the first."),
    call("1", "Edit", { file_path: "/srv/export.ts", old_string: "a", new_string: "b" }),
    result("1", "done"),
    assistant("I decided to keep the cursor open between batches because the driver reconnects otherwise."),
  ]),
);

test("goal, limits, preferences, choices and decisions are facts, with the events that say so", () => {
  const facts = factsOf(PIECES).map(({ fact, category, tags, seqs }) => [fact, category, tags?.[0], seqs]);
  expect(facts).toEqual([
    ["goal: Make the nightly export fast.", "unresolved_work", "goal", [1]],
    ["Never delete rows.", "user_preference", "constraint", [1]],
    ["I prefer small commits.", "user_preference", "preference", [1]],
    [
      "chose Stream the rows through a cursor; gave up Load the table into memory at once",
      "durable_fact",
      "decision",
      [2, 3],
    ],
    [
      "I decided to keep the cursor open between batches because the driver reconnects otherwise.",
      "durable_fact",
      "decision",
      [6],
    ],
    ["modified /srv/export.ts", "durable_fact", undefined, [4]],
  ]);
});

test("a goal that is known is not replaced, and a failure that is known is told when it is over", () => {
  const pieces = piecesOfEvents(
    eventsOf([user("Run it again."), call("1", "Bash", { command: "npm test" }), result("1", "ok", { exitCode: 0 })]),
  );
  const facts = factsOf(pieces, { known: ["goal: Make the export fast.", "exit 1: npm test"] });
  expect(facts.map(({ fact }) => fact)).toEqual(["exit 0: npm test"]);
});
