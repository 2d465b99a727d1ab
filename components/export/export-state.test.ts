import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { exportRequest } from "#lib/wire/export-schema.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { candidatesOf, decide, decideKind, firstState, isMasked, requestOf, withEvent } from "./export-state.ts";

const SECRET = { id: "0123456789ab", kind: "secret" } as const;
const EMAIL = { id: "ba9876543210", kind: "email" } as const;
const FIRST = firstState("html");

test("a finding is masked as its kind is, or as it was decided singly", () => {
  const masks = (state: typeof FIRST) => [SECRET, EMAIL].map((one) => isMasked(state, one));
  expect(masks(FIRST)).toEqual([true, false]);
  const all = decideKind(FIRST, "email", true, [SECRET, EMAIL]);
  expect(masks(all)).toEqual([true, true]);
  const decided = decide(decide(FIRST, SECRET.id, false), EMAIL.id, true);
  expect(masks(decided)).toEqual([false, true]);
  expect(requestOf(decided)).toMatchObject({ format: "html", mask: ["secret"], accept: [SECRET.id], hide: [EMAIL.id] });
  // All of a kind decides over what was decided of one of them.
  expect(masks(decideKind(decided, "secret", true, [SECRET, EMAIL]))).toEqual([true, true]);
  expect(masks(decideKind(decided, "email", false, [SECRET, EMAIL]))).toEqual([false, false]);
});

test("a request has what its format takes", () => {
  const state = { ...FIRST, events: [3], outputs: "whole" as const, agents: false };
  expect(exportRequest.parse(requestOf(state))).toMatchObject({ events: [3], agents: false });
  expect(requestOf(state)).not.toHaveProperty("outputs");
  const atif = requestOf({ ...state, format: "atif" });
  expect(exportRequest.parse(atif)).toMatchObject({ format: "atif", outputs: "whole", agents: false });
  expect(atif).not.toHaveProperty("events");
  expect(requestOf({ ...state, format: "markdown", outputs: null })).toMatchObject({ outputs: "short" });
});

test("an event is added by its number, once, in order, as far as a report has room", () => {
  expect(withEvent([7], " 3")).toEqual([3, 7]);
  expect(withEvent([7], "7")).toEqual([7]);
  for (const wrong of ["", "0", "x", "-1", "1.5"]) expect(withEvent([], wrong)).toBeNull();
  expect(
    withEvent(
      Array.from({ length: LIMITS.reportEvents }, (_, i) => i + 1),
      "99",
    ),
  ).toBeNull();
});

test("the events of culprits are offered, each once", () => {
  const culprits = [4, null, 4, 9].map((seq) => ({ seq, label: `of ${seq}` })) as unknown as LedgerAnswer["culprits"];
  expect(candidatesOf({ culprits })).toEqual([
    { seq: 4, label: "of 4" },
    { seq: 9, label: "of 9" },
  ]);
});
