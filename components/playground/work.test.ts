import fc from "fast-check";
import { expect, test } from "vitest";
import { jqRun } from "#lib/wire/playground-schema.ts";
import { EMPTY, fromAddress, inAddress, keyOf, optionsOf, requestOf, toggled, workOf, type Work } from "./work.ts";

const works = fc.record({
  program: fc.string({ unit: "binary", maxLength: 300 }),
  flags: fc.subarray(["r", "s", "n", "c", "S"]).map((letters) => letters.join("")),
  variables: fc.uniqueArray(
    fc.record({ name: fc.stringMatching(/^[a-z_]{1,9}$/), value: fc.string({ maxLength: 40 }), isJson: fc.boolean() }),
    { selector: ({ name }) => name, maxLength: 4 },
  ),
});

const sorted = (work: Work): Work => ({
  ...work,
  variables: work.variables.toSorted((a, b) => Number(a.isJson) - Number(b.isJson)),
});

test("what stands in the address is the work, and a kept program is it too", () => {
  fc.assert(
    fc.property(works, (work) => {
      const address = inAddress(work);
      expect(address).not.toBeNull();
      expect(keyOf(fromAddress(address!))).toBe(keyOf(sorted(work)));
      const kept = workOf(work.program, optionsOf(work));
      expect(optionsOf(kept)).toEqual(optionsOf(work));
    }),
  );
});

test("what an address cannot hold does not stand in it", () => {
  expect(inAddress({ ...EMPTY, program: "x".repeat(2000) })).not.toBeNull();
  expect(inAddress({ ...EMPTY, program: "x".repeat(2001) })).toBeNull();
  // Three bytes a character, three letters a byte.
  expect(inAddress({ ...EMPTY, program: "潮".repeat(700) })).toBeNull();
  expect(inAddress({ ...EMPTY, program: "\ud800" })).not.toBeNull();
  expect(inAddress({ ...EMPTY, variables: [{ name: "a", value: "x".repeat(7000), isJson: false }] })).toBeNull();
});

test("an address that somebody broke is read as far as it goes", () => {
  const work = fromAddress({
    program: null,
    options: "zzSr--rS",
    arg: ["none", "__proto__=1", "a b=2"],
    argjson: null,
  });
  expect(work).toMatchObject({ program: "", flags: "rS" });
  const request = requestOf(work, []);
  expect(request.program).toBe(".");
  expect(Object.keys(request.options.args)).toEqual(["__proto__"]);
  expect(jqRun.safeParse(request).success).toBe(true);
});

test("options keep jq's order", () => {
  expect(toggled("", "S")).toBe("S");
  expect(toggled("S", "r")).toBe("rS");
  expect(toggled("rS", "r")).toBe("S");
});
