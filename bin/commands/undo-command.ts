import { undoCompaction } from "#lib/archive/memory/compact.ts";
import { compactionById } from "#lib/archive/memory/undo-compaction.ts";
import { undoAnswer } from "#lib/wire/memory-schema.ts";
import { reading, writing } from "./open-archive.ts";
import { count, printJson } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = async (words) => {
  const id = words.args[0]!;
  const isDone = (await reading(words, async (archive) => compactionById(archive, id)))?.status === "undone";
  const answer = undoAnswer.parse(await writing(words, "undo", { id }, (archive) => undoCompaction(archive, id)));
  if (words.options["json"] === true) return printJson(answer);
  if (isDone) return console.log(`Already undone: ${answer.id} of session ${answer.sessionId}`);
  const now = answer.tokensAfter === null ? "" : `: the context has ${count(answer.tokensAfter)} tokens again`;
  console.log(`Undone ${answer.id} of session ${answer.sessionId}${now}`);
};
