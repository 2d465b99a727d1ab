import { undoCompaction } from "#lib/archive/memory/compact.ts";
import { undoAnswer } from "#lib/wire/memory.ts";
import { writing } from "./archive.ts";
import { count, printJson } from "./print.ts";
import type { Command } from "./words.ts";

export const undo: Command = {
  name: "undo",
  args: ["COMPACTION"],
  options: {},
  about: "take a compaction back: the context goes on as if it had not been; a plan is taken back too",
  run: async (words) => {
    const id = words.args[0]!;
    const answer = undoAnswer.parse(await writing(words, "undo", { id }, (archive) => undoCompaction(archive, id)));
    if (words.options["json"] === true) return printJson(answer);
    const now = answer.tokensAfter === null ? "" : `: the context has ${count(answer.tokensAfter)} tokens again`;
    console.log(`Undone ${answer.id} of session ${answer.sessionId}${now}`);
  },
};
