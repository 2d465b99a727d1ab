// Deletes the artifacts of a session: first it is shown what goes, then it is confirmed.
import { endPreview } from "#lib/archive/artifacts/end-session.ts";
import { endSession } from "#lib/archive/sessions/session-notices.ts";
import type { EndAnswer, EndPreview } from "#lib/wire/retention-schema.ts";
import { reading, writing } from "./open-archive.ts";
import { bytes, count, counted, oneLine, printJson } from "./print.ts";
import { WrongWords, type Run } from "./args.ts";

export const run: Run = async (words) => {
  const session = words.args[0]!;
  const [isDry, isSure] = [words.options["dry-run"] === true, words.options["yes"] === true];
  if (isDry === isSure)
    throw new WrongWords("plimsoll end deletes artifacts. Check with --dry-run, then confirm with --yes.");
  if (isDry) {
    const preview = await reading(words, async (archive) => endPreview(archive, session));
    return words.options["json"] === true ? printJson(preview) : print(preview);
  }
  const answer = await writing<EndAnswer>(words, "end", { session }, (archive) => endSession(archive, session));
  if (words.options["json"] === true) return printJson(answer);
  console.log(`Deleted ${counted(answer.removed, "artifact")} of session ${answer.sessionId}. Its events stay.`);
  console.log("plimsoll gc frees their bytes.");
};

function print({ sessionId, title, named, namedTotal, ...preview }: EndPreview): void {
  console.log(
    `Would delete ${counted(preview.artifacts, "artifact")}, ${bytes(preview.sizeBytes)}, of session ${sessionId}`,
  );
  console.log(`${oneLine(title, 100)}`);
  console.log(`${bytes(preview.freedBytes)} are in no other session; plimsoll gc frees them.`);
  if (namedTotal === 0) return;
  console.log(`\n${counted(namedTotal, "artifact")} with a name`);
  for (const { name, sizeBytes, pointer } of named)
    console.log(`${bytes(sizeBytes).padStart(9)}  ${oneLine(name, 60)}  ${pointer}`);
  if (namedTotal > named.length) console.log(`… and ${count(namedTotal - named.length)} more`);
}
