// The tools on the command line: the archive is opened for reading, the answer printed, and the reading noted afterwards by
// whoever may write. A note that nobody takes is no failure of the reading.
import { takeNotes } from "#lib/archive/artifacts/note-read.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { write } from "#lib/archive/base/write.ts";
import { addRecallWrite } from "#lib/archive/memory/recall-rows.ts";
import { takeRecalls } from "#lib/archive/memory/recall-session.ts";
import type { ToolAnswer } from "#lib/wire/tools-schema.ts";
import type { Asker } from "#lib/tools/run-tool.ts";
import { reading, writing } from "./open-archive.ts";
import { plain, printJson } from "./print.ts";
import { textOption, type Words } from "./args.ts";
import { addReadsWrite } from "#lib/archive/artifacts/reading-rows.ts";

export const askerOf = (words: Words): Asker => ({
  who: "command line",
  session: textOption(words, "session"),
  patience: "person",
});

/** Prints what a tool answers. `exact` adds nothing to it. */
export async function asking(
  words: Words,
  ask: (archive: Archive) => Promise<ToolAnswer>,
  exact = false,
): Promise<number> {
  const { answer, note } = await noting(words, ask);
  const status = printAnswer(words, answer, exact);
  await note();
  return status;
}

/** Asks, and gives beside the answer what notes its readings and recalls. */
export async function noting(
  words: Words,
  ask: (archive: Archive) => Promise<ToolAnswer>,
): Promise<{ readonly answer: ToolAnswer; readonly note: () => Promise<void> }> {
  const { answer, reads, recalls } = await reading(words, async (archive) => ({
    answer: await ask(archive),
    reads: takeNotes(archive),
    recalls: takeRecalls(archive),
  }));
  const note = async (): Promise<void> => {
    await saveReads(words, reads);
    await saveRecalls(words, recalls);
  };
  return { answer, note };
}

/** Notes what was read, where somebody may write. */
export async function saveReads(words: Words, reads: ReturnType<typeof takeNotes>): Promise<void> {
  if (reads.length > 0)
    await writing(words, "note-reads", { reads }, (archive) => write(archive, addReadsWrite, { reads })).catch(
      // Locked by another program, on a disk that is not to be written: the answer was given.
      () => undefined,
    );
}

/** Notes what was recalled, where somebody may write. */
export async function saveRecalls(words: Words, recalls: ReturnType<typeof takeRecalls>): Promise<void> {
  if (recalls.length > 0)
    await writing(words, "note-recalls", { recalls }, (archive) => write(archive, addRecallWrite, { recalls })).catch(
      () => undefined,
    );
}

/** Prints an answer, and gives the exit status that it means. */
export function printAnswer(words: Words, answer: ToolAnswer, exact = false): number {
  const { text, isError } = answer;
  if (words.options["json"] === true) printJson(answer);
  else if (isError) console.error(plain(text));
  else printText(text, exact);
  return isError ? 1 : 0;
}

/** To a terminal without what would command it; to a file or a program as it is. */
function printText(text: string, exact: boolean): void {
  const shown = process.stdout.isTTY ? plain(text) : text;
  process.stdout.write(shown === "" || shown.endsWith("\n") || (exact && !process.stdout.isTTY) ? shown : `${shown}\n`);
}
