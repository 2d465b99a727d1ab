// Damaged files through every format of the registry: what stands whole in them is read as if it stood alone.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { FORMATS } from "#lib/formats/index.ts";
import { damage, damagedFile, firstLost, linesOf } from "#lib/formats/testing-damage.ts";
import { isDocument, type Format, type SourceFile } from "#lib/kernel/draft.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
/** The most kinds of damage in one file; they begin again behind it. */
const DAMAGES = 120;

type Lines = { readonly format: Format; readonly file: SourceFile; readonly records: readonly Uint8Array[] };

function linesOfFormats(): Lines[] {
  return readdirSync(FIXTURES).flatMap((name) => {
    const format = FORMATS.find(({ id }) => name.startsWith(`${id}-synthetic-`))!;
    const bytes: Uint8Array = readFileSync(join(FIXTURES, name));
    const file: SourceFile = { path: name, head: bytes.subarray(0, 65_536), sidecars: new Map() };
    if (isDocument(format, file)) return [];
    // Each once: what a format says of a record whose id it has seen already depends on what came between.
    return [{ format, file, records: linesOf(bytes).map((record) => record.bytes) }];
  });
}

let [whole, files] = [0, 0];

export const damagedRecords = (): fc.IProperty<unknown> => {
  const all = new Map(linesOfFormats().map((one) => [one.file.path, one]));
  return fc.property(
    fc.constantFrom(...all.keys()),
    fc.array(damage, { minLength: 7, maxLength: DAMAGES }),
    fc.boolean(),
    (name, damages, hasBom) => {
      const { format, file, records } = all.get(name)!;
      const damaged = damagedFile(records, damages, hasBom);
      const lost = firstLost(format, file, damaged);
      if (lost !== null) throw new Error(`${name}: ${lost}`);
      whole += damaged.whole.length;
      files++;
    },
  ) as fc.IProperty<unknown>;
};

export const damagedCount = (): string => `${whole.toLocaleString("en")} whole records in ${files} damaged files`;
