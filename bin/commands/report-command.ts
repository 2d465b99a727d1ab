// A report of a session for somebody without Plimsoll, and the review before it: what looks private, and how to decide on it.
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { reviewReport, writeReport } from "#lib/archive/sessions/session-report.ts";
import { inPieces } from "#lib/kernel/in-pieces.ts";
import { reportRequest, type ReportRequest, type ReportReview } from "#lib/wire/report-schema.ts";
import { reading } from "./open-archive.ts";
import { bytes, count, oneLine, plain, printJson, table } from "./print.ts";
import { textOption, textsOption, WrongWords, type Run, type Words } from "./args.ts";
import { writeNew } from "./write-new-file.ts";
import { writeStdout } from "./write-stdout-command.ts";

export const run: Run = (words) => {
  const request = requestOf(words);
  const isJson = words.options["json"] === true;
  const out = textOption(words, "out");
  return reading(words, async (archive) => {
    if (words.options["review"] === true) {
      const review = await reviewReport(archive, words.args[0]!, { events: request.events, counted: true });
      return isJson ? printJson(review) : print(review);
    }
    if (out === undefined && isJson)
      throw new WrongWords("plimsoll report --json needs --out FILE or --review. Standard output holds the report.");
    const report = await writeReport(archive, words.args[0]!, { ...request, counted: true });
    const pieces = inPieces(Readable.from([report.text]));
    if (out === undefined) return writeStdout(pieces);
    const path = resolve(out);
    const sizeBytes = await writeNew(path, pieces);
    if (isJson) printJson({ path, sizeBytes, masked: report.masked });
    else console.log(`Wrote ${bytes(sizeBytes)} to ${plain(path)}. ${report.masked}`);
    return undefined;
  });
};

function requestOf(words: Words): ReportRequest {
  const { html, markdown, review } = words.options;
  if (html === true && markdown === true)
    throw new WrongWords("--html and --markdown were both given. Give one of them.");
  if (review === true && textOption(words, "out") !== undefined)
    throw new WrongWords("--review writes no file. Leave out --out, or leave out --review.");
  const events = textOption(words, "events");
  const result = reportRequest.safeParse({
    format: markdown === true ? "markdown" : "html",
    mask: textOption(words, "mask") ?? "secrets",
    accept: textsOption(words, "accept"),
    hide: textsOption(words, "hide"),
    events: events === undefined ? undefined : events.split(",").filter(Boolean).map(Number),
  });
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw new WrongWords(`--${String(path[0])} is invalid: ${message}.`);
}

const VALUE_CHARS = 48;

function print({ findings, leftOut, events }: ReportReview): void {
  const seqs = events.map(({ seq }) => seq);
  console.log(seqs.length === 0 ? "No excerpts of events" : `Excerpts of events ${seqs.join(", ")}`);
  if (findings.length === 0) return void console.log("Nothing looks private.");
  const rows = findings.map(({ id, kind, rule, value, times, places }) => {
    const [{ where, before, after }] = places as [(typeof places)[number]];
    const shown = oneLine(value, VALUE_CHARS);
    return [
      id,
      rule === null ? kind : `${kind}, ${rule}`,
      shown,
      count(times),
      where,
      oneLine(`${before}${value}${after}`, 80),
    ];
  });
  console.log(table(["id", "kind", "value", "times", "first in", "context"], rows, new Set([0, 1, 2, 4, 5])));
  if (leftOut > 0) console.log(`and ${count(leftOut)} more, where only --mask applies`);
  console.log("\nSecrets are masked by default (--mask). --accept ID shows one, --hide ID masks one.");
}
