// What Codex sends after a compaction: its new history, in its order, also where that has instructions anew or an earlier summary.
import { expect, test } from "vitest";
import { contextMessages } from "#lib/kernel/context/from-events.ts";
import { SUMMARY_START } from "./injected.ts";
import { at, bodies, events, parse, said, TURN } from "./testing-codex.ts";

const meta = at({ id: "s", base_instructions: { text: "Be brief." } }, "session_meta");
const turn = at({ turn_id: TURN, model: "m" }, "turn_context");
const developer = said("developer", "<permissions instructions>all</permissions instructions>");
const environment = said("user", "<environment_context>day one</environment_context>");
const compacted = (message: string, ...history: ReturnType<typeof said>[]) =>
  at({ message, replacement_history: history.map(({ payload }) => payload) }, "compacted");

/** What a model is sent at the end, a word of each. */
function sent(...values: unknown[]): string[] {
  const log = events(parse(...values)).map(({ body, recordKey }, i) => ({
    ...{ seq: i + 1, call: null, body, recordKey, synthetic: false },
  }));
  return contextMessages(log, log.length).map(({ role, content }) => `${role}: ${content?.slice(0, 40)}`);
}

test("a summary that the client did not write is a message to it, and stays before the words that came later", () => {
  const first = said("user", "Summary of turn 1.");
  const words = `${SUMMARY_START}. Counted.`;
  const second = said("user", words);
  const told = said("developer", "<permissions instructions>none</permissions instructions>");
  const today = said("user", "<environment_context>day two</environment_context>");
  const log = [
    ...[meta, turn, developer, environment, compacted("Summary of turn 1.", developer, environment, first)],
    ...[said("user", "And many?"), said("assistant", "Many."), said("user", "Go on"), said("assistant", "Went on.")],
    compacted(words, first, said("user", "And many?"), told, today, said("user", "Go on"), second),
    said("user", "And after?"),
  ];
  expect(sent(...log)).toEqual([
    "system: Be brief.",
    "user: Summary of turn 1.",
    "user: And many?",
    "system: <permissions instructions>none</permissi",
    "user: <environment_context>day two</environmen",
    "user: Go on",
    `user: ${words.slice(0, 40)}`,
    "user: And after?",
  ]);
  expect(bodies(parse(...log)).filter(({ type }) => type === "user").length, "each once").toBe(7);
});

test("where words of a person in it are in no record, what is known is kept in the order of the log", () => {
  const second = `${SUMMARY_START}. Counted.`;
  const log = [
    ...[meta, turn, developer, said("user", "One"), said("assistant", "1")],
    compacted(second, developer, said("user", "Never said"), said("user", "One"), said("user", second)),
  ];
  expect(sent(...log).map((line) => line.slice(0, 20))).toEqual([
    "system: Be brief.",
    "system: <permissions",
    "user: One",
    "user: Another langua",
  ]);
  expect(bodies(parse(...log)).find(({ type }) => type === "compaction")).not.toHaveProperty("order");
});
