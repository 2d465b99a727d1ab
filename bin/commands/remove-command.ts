// Removes an imported session from the archive: first it is shown what goes, then it is confirmed.
import { existsSync } from "node:fs";
import { removePreview, removeSession } from "#lib/archive/sources/remove-session.ts";
import type { RemovedSession } from "#lib/wire/remove-schema.ts";
import { WrongWords, type Run } from "./args.ts";
import { reading, writing } from "./open-archive.ts";
import { counted, oneLine, plain, printJson } from "./print.ts";

export const run: Run = async (words) => {
  const session = words.args[0]!;
  const [isDry, isSure] = [words.options["dry-run"] === true, words.options["yes"] === true];
  if (isDry === isSure)
    throw new WrongWords("plimsoll remove takes a session out: look with --dry-run, then confirm with --yes.");
  if (isDry) {
    const preview = await reading(words, async (archive) => removePreview(archive, session));
    if (words.options["json"] === true) return printJson(preview);
    const { sessions, events, artifacts } = preview;
    console.log(
      `Would remove ${counted(sessions, "session")} with ${counted(events, "event")} and ${counted(artifacts, "artifact")}`,
    );
    console.log(oneLine(preview.title, 100));
    for (const file of preview.files) console.log(`Would delete ${plain(file)}`);
    if (!preview.files.includes(preview.path))
      console.log(
        `${plain(preview.path)} stays as it is${preview.isOnDisk ? "" : " gone: nothing can be read again"}.`,
      );
    return;
  }
  const answer = await writing<RemovedSession>(words, "remove", { session }, (archive) =>
    removeSession(archive, session),
  );
  if (words.options["json"] === true) return printJson(answer);
  const again = existsSync(answer.path) ? ` plimsoll import ${plain(answer.path)} reads it again.` : "";
  console.log(`Removed ${counted(answer.sessions, "session")}.${again}`);
  console.log("plimsoll gc frees the bytes of its artifacts.");
};
