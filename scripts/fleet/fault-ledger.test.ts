// The ledger of the fault run finds what it is there to find.
import { expect, test } from "vitest";
import { Ledger } from "./fault-ledger.ts";

function ledger(): Ledger {
  const one = new Ledger();
  one.told({ session: "s", mark: "a", seq: 1 });
  one.told({ session: "s", mark: "b", seq: 2 });
  one.toldOutput("s", "art:1", "d1");
  one.toldSent("sent", 2);
  return one;
}
const row = (mark: string | null, seq: number) => ({ session: "s", mark, seq });
const whats = (findings: readonly { what: string }[]): string[] => findings.map(({ what }) => what);

test("nothing is found where all is there once, and what nobody was told of", () => {
  const one = ledger();
  expect(one.compareLog("s", [row("a", 1), row("b", 2), row("c", 3), row(null, 4)])).toEqual([]);
  expect([
    one.compareOutput("art:1", "d1"),
    one.compareSent("sent", [2]),
    one.compareSent("sent", [3]),
    one.said(),
  ]).toEqual([[], [], [], []]);
});

test("a lost, a doubled and a renumbered event are found", () => {
  const one = ledger();
  expect(whats(one.compareLog("s", [row("a", 1)]))).toEqual(["lost"]);
  expect(whats(one.compareLog("s", [row("a", 1), row("b", 2), row("b", 3)]))).toEqual(["doubled"]);
  expect(whats(one.compareLog("s", [row("a", 1), row("b", 3)]))).toEqual(["renumbered"]);
  expect(whats(one.compareLog("s", [row("a", 1), row("b", 2), row("c", 2)]))).toEqual(["number given twice"]);
  // What nobody was told of is there twice.
  expect(whats(one.compareLog("s", [row("a", 1), row("b", 2), row("c", 3), row("c", 4)]))).toEqual(["doubled"]);
});

test("two answers that give one number, or one event two numbers, are found", () => {
  const one = ledger();
  one.told({ session: "s", mark: "c", seq: 2 });
  one.told({ session: "s", mark: "a", seq: 5 });
  expect(whats(one.said())).toEqual(["number given twice", "renumbered"]);
});

test("lost and changed bytes, and a sent session that is gone, shorter or there twice, are found", () => {
  const one = ledger();
  expect(whats([...one.compareOutput("art:1", null), ...one.compareOutput("art:1", "d2")])).toEqual([
    "lost",
    "other bytes",
  ]);
  expect(whats([[], [1], [2, 2]].flatMap((turns) => one.compareSent("sent", turns)))).toEqual([
    "lost",
    "lost",
    "doubled",
  ]);
});
