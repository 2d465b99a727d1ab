import { describe, expect, test } from "vitest";
import { choicesIn } from "./choices.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import { assistant, eventsOf, user } from "./testing-log.ts";

const choices = (...bodies: Parameters<typeof eventsOf>[0]) =>
  choicesIn(piecesOfEvents(eventsOf(bodies))).map(({ chosen, givenUp }) => [chosen, ...givenUp]);

describe("told in one sentence", () => {
  test.each([
    ["I decided to use a write-ahead log instead of full snapshots.", "write-ahead log", "full snapshots"],
    ["We go with PostgreSQL rather than SQLite because two writers come.", "PostgreSQL", "SQLite"],
    ["Instead of polling the queue, we will use webhooks.", "webhooks", "polling the queue"],
    ["I switched from regular expressions to a real parser.", "real parser", "regular expressions"],
    ["We replaced the cron job with a systemd timer.", "systemd timer", "cron job"],
    ["We dropped the Redis cache in favour of an in-memory LRU.", "in-memory LRU", "Redis cache"],
  ])("%s", (sentence, chosen, givenUp) => {
    expect(choices(assistant(sentence))).toEqual([[chosen, givenUp]]);
  });

  test.each(["I use the parser to read rows.", "Keep the tests fast.", "Is it better to use A or B?"])(
    "%s is no choice",
    (sentence) => {
      expect(choices(assistant(sentence))).toEqual([]);
    },
  );
});

describe("taken from a list", () => {
  const LIST =
    "There are two approaches:\n1. **Stream the rows** through a cursor.\n2. **Load the table** into memory at once.\nWhich one do you want?";

  test.each(["Let's go with option 1.", "The first one, please.", "1", "Use the cursor and stream them."])(
    "by the person: %s",
    (words) => {
      expect(choices(user("Export is slow."), assistant(LIST), user(words))).toEqual([
        ["Stream the rows through a cursor", "Load the table into memory at once"],
      ]);
    },
  );

  test("by the agent, letters and a reason", () => {
    expect(
      choices(
        assistant(
          "Options:\nA) a Redis cache\nB) an in-memory LRU\n\nI'll go with option B because nothing else needs Redis.",
        ),
      ),
    ).toEqual([["in-memory LRU", "Redis cache"]]);
  });

  test("of a sentence", () => {
    expect(
      choices(
        assistant("I see two ways: a Redis cache or an in-memory LRU. Shall I measure first?"),
        user("No, take the second."),
      ),
    ).toEqual([["in-memory LRU", "Redis cache"]]);
  });

  test("steps of a plan are no options", () => {
    expect(choices(assistant("I will:\n1. read the file\n2. fix the parser\n3. run the tests"), user("1"))).toEqual([]);
  });
});
