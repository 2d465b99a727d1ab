// Blank lines, a byte order mark and blanks around a record say nothing: a file with them is read as the file without.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isDocument, type SourceFile, type SourceRecord } from "#lib/kernel/draft.ts";
import { textStart } from "#lib/kernel/text-start.ts";
import { FORMATS } from "./index.ts";
import { linesOf } from "./testing-damage.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const BOM = "\uFEFF";

const fileOf = (path: string, bytes: Uint8Array): SourceFile => ({
  path,
  head: bytes.subarray(textStart(bytes), 65_536),
  sidecars: new Map(),
});

/** What the file says, without where in it each thing is. */
function said(name: string, bytes: Uint8Array): { format: string; isWhole: boolean; drafts: string[] } {
  const file = fileOf(name, bytes);
  const formats = FORMATS.filter((one) => one.detect(file));
  const format = formats[0]!;
  const isWhole = isDocument(format, file);
  const bom = bytes[0] === 0xef ? 3 : 0;
  const whole: SourceRecord = { bytes: bytes.subarray(bom), byteStart: bom, byteEnd: bytes.length, line: 1 };
  const state = format.start(file);
  const drafts = (isWhole ? [whole] : linesOf(bytes)).flatMap((record) => format.parse(record, state));
  const parts = drafts.map((draft) =>
    JSON.stringify(draft, (key, value: unknown) => (key === "byteStart" || key === "byteEnd" ? undefined : value))
      // Names that a record has by its position.
      .replace(/n:\d+/g, "n:")
      .replace(/@\d+/g, "@")
      .replace(/\/#\d+/g, "/#")
      .replace(/("lane":"[^"]+?)(?:-\d+)+"/g, '$1"'),
  );
  return { format: formats.map(({ id }) => id).join(), isWhole, drafts: [...parts, String(format.identify(state))] };
}

describe.each(readdirSync(FIXTURES))("%s", (name) => {
  const bytes = readFileSync(join(FIXTURES, name));
  const text = bytes.toString();
  const plain = said(name, bytes);
  const read = (given: string): ReturnType<typeof said> => said(name, Buffer.from(given));

  // Where a line of plain text begins says what it is.
  const blanks = name.endsWith(".txt") ? [] : [["blanks before the first record", "  "]];
  test.each([
    ["a blank line", "\n"],
    ["several", "\n \t\r\n\n"],
    ["a byte order mark", BOM],
    ["a byte order mark and blank lines", `${BOM}\r\n\n`],
    ...blanks,
  ])("%s at its beginning", (_what, before) => {
    expect(read(before + text)).toEqual(plain);
  });

  if (!plain.isWhole)
    test("blank lines and blanks anywhere", () => {
      const lines = text.split("\n").filter(Boolean);
      expect(read(lines.map((line) => `\n${line}\r\n \n\n`).join(""))).toEqual(plain);
      if (lines.every((line) => line.startsWith("{")))
        expect(read(lines.map((line) => ` \t${line} \n`).join("\n"))).toEqual(plain);
    });
});
