// What the commands label, star and note share: the event that is marked, and how its marks are printed.
import { setMark } from "#lib/archive/settings/marks.ts";
import { markRequest, type MarkRequest, type MarksAnswer } from "#lib/wire/marks-schema.ts";
import { numberOption, WrongWords, type Words } from "./args.ts";
import { issueWords } from "./issue-words.ts";
import { writing } from "./open-archive.ts";
import { oneLine, printJson } from "./print.ts";

/** The event of `--event`; null: the session itself. */
export function eventOption(words: Words): number | null {
  if (words.options["event"] === undefined) return null;
  const seq = numberOption(words, "event", 0);
  if (seq < 1) throw new WrongWords("--event takes the number of an event, from 1.");
  return seq;
}

export function setMarkBy(words: Words, session: string, given: MarkRequest): Promise<MarksAnswer> {
  const { data: request, error } = markRequest.safeParse(given);
  if (request === undefined)
    throw new WrongWords(
      issueWords(`The ${given.kind} "${"value" in given ? oneLine(given.value, 60) : ""}"`, error.issues[0]!),
    );
  return writing<MarksAnswer>(words, "mark", { session, request }, (archive) => setMark(archive, session, request));
}

export function printMarks(words: Words, { marks }: MarksAnswer): void {
  if (words.options["json"] === true) return printJson({ marks });
  if (marks.length === 0) console.log("No marks.");
  for (const { seq, kind, value } of marks)
    console.log(oneLine([seq === null ? "session" : `event ${seq}`, kind, value].join("  ").trim(), 400));
}
