import { expect, test } from "vitest";
import type { SummarizerAnswer } from "#lib/wire/summarizer-schema.ts";
import {
  draftOf,
  isSaved,
  keyWords,
  losesKey,
  requestOf,
  sentWords,
  triedWords,
  type Draft,
} from "./summarizer-words.ts";

const saved: SummarizerAnswer = {
  kind: "openai",
  baseUrl: "https://models.example/v1",
  model: "small-1",
  key: { isSet: true, last4: "wxyz" },
  sentTo: "https://models.example/v1/chat/completions",
};
const draft = (more: Partial<Draft> = {}): Draft => ({ ...draftOf(saved), ...more });

test("what would be sent where is said before it is saved, and off says that nothing is", () => {
  const [first, ...rest] = sentWords(draft());
  expect(first).toBe(
    "When you compact with this model, the turns that are cut are sent to https://models.example/v1/chat/completions: messages, tool calls and results.",
  );
  expect(rest.join(" ")).toContain("At most 300,000 characters");
  expect(sentWords(draft({ baseUrl: "http://127.0.0.1:11434" }))[0]).toContain(
    "http://127.0.0.1:11434/v1/chat/completions, on this machine",
  );
  expect(sentWords(draft({ kind: "anthropic", baseUrl: "https://api.anthropic.com/" }))[0]).toContain(
    "https://api.anthropic.com/v1/messages:",
  );
  expect(sentWords(draft({ baseUrl: "http://models.example" }))).toEqual([
    "This base URL cannot be saved. Nothing is sent.",
  ]);
  expect(sentWords(draft({ kind: "off" })).join(" ")).toContain("Nothing leaves this machine");
});

test("a draft that cannot be saved says why beside its field", () => {
  expect(requestOf(draft({ baseUrl: "http://models.example", model: " ", key: "a b" }), saved)).toEqual({
    request: null,
    wrong: {
      baseUrl: "Plain http works only for this machine (localhost, 127.0.0.1, [::1]). Use https.",
      model: "Name the model.",
      apiKey: "Is empty, or has invalid characters.",
    },
  });
});

test("an empty key stays as it is, a typed one goes along, and off keeps what was saved", () => {
  const fields = { kind: "openai", baseUrl: "https://models.example/v1", model: "small-1" };
  expect(requestOf(draft(), saved).request).toEqual(fields);
  expect(requestOf(draft({ key: " abcd-1234 " }), saved).request).toEqual({ ...fields, apiKey: "abcd-1234" });
  expect(requestOf(draft({ kind: "off", baseUrl: "nonsense", key: "x" }), saved).request).toEqual({
    ...fields,
    kind: "off",
  });
});

test("a change is one that would be saved, and another base URL loses the key", () => {
  expect([isSaved(draft(), saved), isSaved(draft({ baseUrl: " HTTPS://models.example/v1/ " }), saved)]).toEqual([
    true,
    true,
  ]);
  for (const more of [{ model: "b" }, { key: "k" }, { baseUrl: "https://other.example" }, { kind: "off" }] as const)
    expect(isSaved(draft(more), saved), JSON.stringify(more)).toBe(false);
  expect([losesKey(draft(), saved), losesKey(draft({ baseUrl: "https://other.example" }), saved)]).toEqual([
    false,
    true,
  ]);
  expect(losesKey(draft({ baseUrl: "" }), { ...saved, key: { isSet: false, last4: null } })).toBe(false);
});

test("a key is told by its last four characters at most, and an answer by its words and time", () => {
  expect([
    keyWords(saved),
    keyWords({ ...saved, key: { isSet: true, last4: null } }),
    keyWords({ ...saved, key: { isSet: false, last4: null } }),
  ]).toEqual(["set, ends in wxyz", "set", "not set"]);
  expect(triedWords({ said: "ready", model: "small-1-0725", ms: 420 })).toBe(
    "It answered “ready” in 420 ms, as small-1-0725.",
  );
});
