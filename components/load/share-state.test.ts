import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { reportRequest } from "#lib/wire/report-schema.ts";
import { candidatesOf, decide, FIRST_STATE, isMasked, requestOf, withEvent } from "./share-state.ts";

const SECRET = { id: "0123456789ab", kind: "secret" } as const;
const EMAIL = { id: "ba9876543210", kind: "email" } as const;

test("a finding is masked as the choice says, or as it was decided singly", () => {
  const masks = (mask: "secrets" | "all" | "none") =>
    [SECRET, EMAIL].map((one) => isMasked({ ...FIRST_STATE, mask }, one));
  expect([masks("secrets"), masks("all"), masks("none")]).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
  const decided = decide(decide(FIRST_STATE, SECRET.id, false), EMAIL.id, true);
  expect([isMasked(decided, SECRET), isMasked(decided, EMAIL)]).toEqual([false, true]);
  expect(requestOf(decided)).toEqual({ format: "html", mask: "secrets", accept: [SECRET.id], hide: [EMAIL.id] });
  expect(reportRequest.parse(requestOf({ ...decided, events: [3] }))).toMatchObject({ events: [3] });
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
