import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { noteCache } from "./node-cache.ts";
import { reading } from "./open-archive.ts";
import { bytes, count, oneLine, printJson, table } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    noteCache(words);
    // What builds queries takes 0.3 s to load: no other command waits for it.
    const { listArtifacts } = await import("#lib/archive/sessions/list-artifacts.ts");
    // All at once: page by page each page would sort what stands before it again.
    const query = { ...artifactsQuery.parse({ session: words.args[0] }), limit: Number.MAX_SAFE_INTEGER };
    const { artifacts: found } = await listArtifacts(archive, query);
    if (words.options["json"] === true) {
      printJson({ artifacts: found, next: null });
      return;
    }
    if (found.length === 0) console.log("No artifacts.");
    else
      console.log(
        table(
          ["artifact", "size", "lines", "type", "tool", "name", ""],
          found.map((row) => [
            row.pointer,
            bytes(row.sizeBytes),
            count(row.lineCount),
            row.contentType,
            oneLine(row.toolName ?? "–", 20),
            oneLine(row.name ?? "–", 50),
            row.state === "live" ? "" : row.state,
          ]),
          new Set([0, 3, 4, 5, 6]),
        ),
      );
  });
