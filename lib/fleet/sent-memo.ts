// What an archive has sent to a fleet, and what it has begun to send: a line for each family, beside the archive.
import { hash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { MaskChoice } from "#lib/wire/redaction-schema.ts";

export const PRINT_CHARS = 32;

/** In place of a print: some objects of the family may be in the bucket, and were not committed. */
const BEGUN = "0".repeat(PRINT_CHARS);

export type SentMemo = {
  /** Those of these that were sent. */
  sentAmong(ids: readonly string[]): string[];
  /** The print of what was sent. */
  get(id: string): string | undefined;
  save(id: string, print: string): void;
  isBegun(id: string): boolean;
  begin(id: string): void;
};

/** What was sent, by session: of one that did not change since nothing is even packed. */
export function readMemo(
  archive: Archive,
  { to, project, mask }: { readonly to: string; readonly project: string; readonly mask: MaskChoice },
): SentMemo {
  const dir = join(archive.dir, "sent");
  const file = join(
    dir,
    `${hash("sha256", JSON.stringify([new URL(to).origin, project, mask]), "hex").slice(0, 16)}.log`,
  );
  const known = new Map<string, string>();
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // Nothing was sent there yet.
  }
  const lines = text.split("\n");
  for (const line of lines) {
    // A torn line costs questions alone.
    const [id = "", print = ""] = line.split(" ");
    if (print.length === PRINT_CHARS) known.set(id, print);
  }
  // A session that runs is sent again and again: its last line counts.
  if (lines.length > 2 * known.size + 1000) {
    text = [...known].map(([id, print]) => `${id} ${print}\n`).join("");
    writeFileSync(`${file}.tmp`, text, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }
  const save = (id: string, print: string): void => {
    known.set(id, print);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // One line for each that was sent: writing all of 10,000 anew for each of them would be gigabytes.
    appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${id} ${print}\n`, { mode: 0o600 });
    text = "\n";
  };
  return {
    sentAmong: (ids) => ids.filter((id) => known.has(id) && known.get(id) !== BEGUN),
    get: (id) => known.get(id),
    save,
    isBegun: (id) => known.get(id) === BEGUN,
    begin: (id) => save(id, BEGUN),
  };
}
