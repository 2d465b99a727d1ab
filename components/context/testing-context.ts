// Answers of the context's door, for tests of what the pages make of them.
import type { ContextAnswer, ContextMessage } from "#lib/wire/memory-schema.ts";

export const messageFixture = (part: Partial<ContextMessage> = {}): ContextMessage => ({
  role: "user",
  seqs: [1],
  label: "Find the leak",
  chars: 40,
  tokens: 12,
  origin: "counted",
  textTokens: 12,
  hasLeft: false,
  change: "same",
  synthetic: false,
  ...part,
});

export const contextFixture = (part: Partial<ContextAnswer> = {}): ContextAnswer => ({
  sessionId: "s_1",
  at: 50,
  as: "anthropic",
  isSentKnown: false,
  whyNotSent: null,
  call: 9,
  request: null,
  epoch: 1,
  tokens: 120,
  origin: "counted",
  reported: null,
  prefix: null,
  messages: [],
  left: [],
  payload: { json: "[]", isCut: false, bytes: 2 },
  repair: { moved: 0, synthetic: 0, duplicates: 0, orphans: 0, droppedCalls: 0 },
  version: "1",
  ...part,
});
