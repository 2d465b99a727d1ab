import fc from "fast-check";
import { recallSection, type RecallEntry } from "./recall.ts";

/** What is recalled of any entries keeps to its budgets. */
export function recallProperty(): fc.IProperty<[RecallEntry[], number, number, number]> {
  const entries = fc.array(
    fc.record({
      artifactId: fc.string({ unit: "binary", maxLength: 80 }),
      pointer: fc.string({ maxLength: 50 }),
      sessionId: fc.constantFrom("a", "b"),
      summary: fc.string({ unit: "binary", maxLength: 500 }),
      createdAt: fc.integer(),
    }),
    { maxLength: 20 },
  );
  const budget = fc.integer({ min: 0, max: 3000 });
  const items = fc.integer({ min: 0, max: 12 });
  return fc.property(entries, items, budget, budget, (all, maxItems, maxChars, narrativeMaxChars) => {
    const recalled = recallSection(all, "a", { maxItems, maxChars, narrativeMaxChars });
    if (recalled === null) return;
    const { text, omitted } = recalled;
    if (text.length > maxChars) throw new Error(`${text.length} characters of ${maxChars}.`);
    if (!text.isWellFormed()) throw new Error("Half a character.");
    if (recalled.items.length > maxItems) throw new Error("Too many items.");
    if (recalled.items.length + omitted !== all.filter((one) => one.sessionId === "a").length)
      throw new Error("What is left out is not counted.");
    const narrative = /### Narrative\n([^\n]*)/.exec(text)?.[1] ?? "";
    if (narrative.length > narrativeMaxChars) throw new Error("The narrative is too long.");
  });
}
