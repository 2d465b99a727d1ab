// A session as one file, or as the memory folder of an Autobyteus agent: reviewed first, masked as decided, on standard output or
// as a new file that only its owner reads.
import { resolve } from "node:path";
import { planBundle, planCounts } from "#lib/archive/bundle/write-bundle.ts";
import { reviewExport, writeExport } from "#lib/archive/exports/write-export.ts";
import { reviewMemoryFolder, writeMemoryFolder } from "#lib/archive/exports/write-memory-folder.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { NOTHING_MASKED } from "#lib/archive/base/masker.ts";
import {
  defaultMask,
  EXPORT_FORMATS,
  exportReviewRequest,
  type ExportFormat,
  type ExportReviewRequest,
} from "#lib/wire/export-schema.ts";
import { reading } from "./open-archive.ts";
import { decisionOf, printReview, type Decided } from "./export-review.ts";
import { bytes, count, counted, plain, printJson } from "./print.ts";
import { readRequest, textOption, WrongWords, type Run, type Words } from "./args.ts";
import { writeNew } from "./write-new-file.ts";
import { writeStdout } from "./write-stdout-command.ts";

const FOLDERS: Readonly<Record<string, 1 | 2>> = { autobyteus: 2, "autobyteus-1": 1 };

export const run: Run = (words) => {
  const as = textOption(words, "as");
  const isBundle = words.options["bundle"] === true;
  if (isBundle && as !== undefined) throw new WrongWords("--bundle and --as were both given. Give one of them.");
  const named = isBundle ? "bundle" : (as ?? "jsonl");
  const generation = FOLDERS[named];
  if (generation !== undefined) return exportFolder(words, generation);
  const format = EXPORT_FORMATS.find((known) => known === named);
  if (format === undefined)
    throw new WrongWords(
      `--as takes ${EXPORT_FORMATS.join(", ")}, autobyteus or autobyteus-1, not "${named.slice(0, 40)}".`,
    );
  return exportFile(words, format);
};

/** Writes one file, or lists what a review finds in it. */
export function exportFile(words: Words, format: ExportFormat): Promise<number | void> {
  const options = optionsOf(words, format);
  const decided = decisionOf(words);
  const isJson = words.options["json"] === true;
  const out = textOption(words, "out");
  const name = words.args[0]!;
  requireTarget(words, format, out, isJson);
  return reading(words, async (archive) => {
    if (words.options["review"] === true) {
      const review = await reviewExport(archive, name, { ...options, counted: true });
      if (isJson) return printJson(review);
      const seqs = review.events.map(({ seq }) => seq);
      if (seqs.length > 0) console.log(`Excerpts of events ${seqs.join(", ")}`);
      return printReview(review, decided.mask ?? defaultMask(format));
    }
    const written = await writeExport(archive, name, { ...options, ...decided, counted: true });
    if (out === undefined) return writeStdout(written.pieces);
    const path = resolve(out);
    const sizeBytes = await writeNew(path, written.pieces);
    const counts = format === "bundle" ? planCounts(planBundle(archive, name)) : null;
    if (isJson) return printJson({ path, sizeBytes, ...counts, masked: written.masked() });
    const what =
      counts === null
        ? ""
        : `: ${counted(counts.sessions, "session")}, ${counted(counts.files, "file")}, ${counted(counts.artifacts, "artifact")}`;
    console.log(`Exported ${bytes(sizeBytes)} to ${plain(path)}${what}. ${written.masked()}`);
    return undefined;
  });
}

function requireTarget(words: Words, format: ExportFormat, out: string | undefined, isJson: boolean): void {
  if (words.options["review"] === true) {
    if (out !== undefined) throw new WrongWords("--review writes no file. Leave out --out, or leave out --review.");
    return;
  }
  if (out !== undefined) return;
  if (isJson)
    throw new WrongWords("--json needs --out FILE or --review. Without them standard output holds the export.");
  if (format === "bundle" && process.stdout.isTTY)
    throw new WrongWords("A bundle needs --out FILE, or a pipe on standard output.");
}

function optionsOf(words: Words, format: ExportFormat): ExportReviewRequest {
  const events = textOption(words, "events");
  return readRequest(exportReviewRequest, {
    format,
    ...(events !== undefined && { events: events.split(",").filter(Boolean).map(Number) }),
    outputs: textOption(words, "outputs"),
    agents: words.options["no-agents"] !== true,
  });
}

function exportFolder(words: Words, generation: 1 | 2): Promise<number | void> {
  const decided = decisionOf(words);
  const out = textOption(words, "out");
  const isReview = words.options["review"] === true;
  if (!isReview && out === undefined) throw new WrongWords("A memory folder needs --out with a new folder.");
  return reading(words, async (archive) => {
    if (isReview) {
      const review = await reviewMemoryFolder(archive, words.args[0]!);
      return words.options["json"] === true ? printJson(review) : printReview(review, decided.mask ?? "none");
    }
    return writeFolder(archive, words, resolve(out!), { generation, ...decided });
  });
}

async function writeFolder(
  archive: Archive,
  words: Words,
  path: string,
  options: Decided & { readonly generation: 1 | 2 },
): Promise<void> {
  const exported = await writeMemoryFolder(archive, words.args[0]!, path, options);
  if (words.options["json"] === true) return printJson({ path, ...exported });
  const { traces, archived, episodic, semantic, dropped, masked } = exported;
  const items = episodic + semantic;
  console.log(
    `Exported ${count(traces + archived)} traces (${count(archived)} archived) and ${count(items)} items to ${plain(path)}. ${masked ?? NOTHING_MASKED}`,
  );
  for (const [what, times] of Object.entries(dropped)) console.log(`Left out: ${count(times)} × ${plain(what)}`);
}
