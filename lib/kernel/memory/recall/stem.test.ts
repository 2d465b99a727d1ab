import fc from "fast-check";
import { expect, test } from "vitest";
import { stem } from "./stem.ts";

test("words get the stems that the algorithm's description gives them", () => {
  const known: Record<string, string> = {
    caresses: "caress",
    ponies: "poni",
    ties: "ti",
    cats: "cat",
    feed: "feed",
    agreed: "agre",
    plastered: "plaster",
    bled: "bled",
    motoring: "motor",
    sing: "sing",
    conflated: "conflat",
    troubled: "troubl",
    sized: "size",
    hopping: "hop",
    falling: "fall",
    hissing: "hiss",
    failing: "fail",
    filing: "file",
    happy: "happi",
    sky: "sky",
    relational: "relat",
    conditional: "condit",
    rational: "ration",
    digitizer: "digit",
    vietnamization: "vietnam",
    predication: "predic",
    operator: "oper",
    feudalism: "feudal",
    decisiveness: "decis",
    hopefulness: "hope",
    formaliti: "formal",
    sensibiliti: "sensibl",
    triplicate: "triplic",
    formative: "form",
    electrical: "electr",
    goodness: "good",
    revival: "reviv",
    allowance: "allow",
    inference: "infer",
    airliner: "airlin",
    adjustable: "adjust",
    replacement: "replac",
    adoption: "adopt",
    communism: "commun",
    effective: "effect",
    probate: "probat",
    rate: "rate",
    cease: "ceas",
    controll: "control",
    roll: "roll",
  };
  expect(Object.fromEntries(Object.keys(known).map((word) => [word, stem(word)]))).toEqual(known);
});

test("forms of one word meet", () => {
  for (const forms of [
    ["compaction", "compacted", "compacting", "compacts"],
    ["retry", "retries", "retried"],
  ])
    expect(new Set(forms.map(stem)).size).toBe(1);
});

test("what is no English word comes out as it went in, and no word grows", () => {
  for (const word of ["x1", "été", "kWh", "id", "a_b"]) expect(stem(word)).toBe(word);
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,30}$/), (word) => {
      const root = stem(word);
      expect(root.length).toBeLessThanOrEqual(word.length);
      expect(root).not.toBe("");
    }),
  );
});
