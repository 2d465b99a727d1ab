import { memoryOf } from "#lib/archive/memory/session-memory.ts";
import type { MemoryAnswer } from "#lib/wire/memory-schema.ts";
import { reading } from "./open-archive.ts";
import { count, marked, oneLine, printJson, table } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const memory = await memoryOf(archive, words.args[0]!);
    if (words.options["json"] === true) printJson(memory);
    else print(memory);
  });

/** What was measured: an agent's compaction by the whole prompt, another by its messages alone, which are estimated. */
const sizesOf = ({ kind, tokensBefore, tokensAfter }: MemoryAnswer["compactions"][number]): string[] =>
  kind === "agent"
    ? ["prompt", count(tokensBefore), count(tokensAfter)]
    : ["messages", marked(tokensBefore, "estimated"), marked(tokensAfter, "estimated")];

function print({ epochs, compactions, items, recalls }: MemoryAnswer): void {
  console.log(
    table(
      ["epoch", "events", "calls", "last prompt", "began with"],
      epochs.map((one) => [
        String(one.epoch),
        `${one.fromSeq}–${one.toSeq}`,
        count(one.calls),
        count(one.tokens),
        one.compactionId ?? "–",
      ]),
      new Set([0, 4]),
    ),
  );
  if (compactions.length > 0) {
    console.log("\nCompactions");
    console.log(
      table(
        ["id", "kind", "status", "event", "of", "before", "after", "summary"],
        compactions.map((one) => [
          one.id,
          one.kind,
          one.status,
          String(one.at),
          ...sizesOf(one),
          oneLine(one.summary, 60),
        ]),
        new Set([0, 1, 2, 4, 7]),
      ),
    );
  }
  const live = items.filter(({ deletedAt }) => deletedAt === null);
  if (live.length === 0) console.log("\nNo items yet. Compactions, people and agents add them.");
  else {
    console.log("\nItems");
    for (const item of live)
      console.log(
        `  ${item.id} ${item.pinned ? "pinned " : ""}${item.category ?? item.kind}: ${oneLine(item.text, 100)}`,
      );
  }
  if (items.length > live.length) console.log(`${count(items.length - live.length)} deleted (--json has them)`);
  if (recalls.length > 0) console.log(`\n${count(recalls.length)} recalls (--json lists them)`);
}
