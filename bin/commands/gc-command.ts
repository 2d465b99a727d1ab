import type { WorkProgress } from "#lib/archive/base/work-options.ts";
import { collect } from "#lib/archive/artifacts/gc.ts";
import { gcAnswer, type GcAnswer } from "#lib/wire/retention-schema.ts";
import { reading, writing } from "./open-archive.ts";
import { bytes, count, plain, printJson, printProgress } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = async (words) => {
  const dryRun = words.options["dry-run"] === true;
  const input = { trustClock: words.options["trust-clock"] === true };
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  const result = { signal: stop.signal, onProgress: words.options["json"] === true ? undefined : progress };
  const answer = dryRun
    ? await reading(words, (archive) => collect(archive, { dryRun }, result))
    : await writing<GcAnswer>(words, "gc", input, (archive) => collect(archive, input, result));
  process.off("SIGINT", onSignal);
  process.off("SIGTERM", onSignal);
  if (words.options["json"] === true) printJson(gcAnswer.parse(answer));
  else print(answer);
  return answer.cancelled ? 1 : 0;
};

function print(answer: GcAnswer): void {
  printProgress("");
  const { dryRun, expired, swept, blobs, orphans, spared, guarded, leftovers } = answer;
  console.log(
    `${dryRun ? "Would delete" : "Deleted"} ${count(expired)} expired artifacts and ${count(swept)} over the limits`,
  );
  console.log(
    `${dryRun ? "Would free" : "Freed"} ${bytes(answer.bytes)}: ${count(blobs)} unused blobs, ${count(orphans)} never used`,
  );
  if (leftovers > 0) console.log(`Removed ${count(leftovers)} temporary files of crashed writers`);
  if (spared > 0) console.log(`Kept ${count(spared)} unused blobs younger than 10 minutes for the next run`);
  if (guarded > 0) console.log(`Kept ${count(guarded)} blobs whose rows are lost. Run plimsoll check --rebuild`);
  if (answer.held !== null) console.error(plain(answer.held));
  if (answer.cancelled) console.log("Stopped early; the work so far is kept.");
}

const progress = ({ done, total, what }: WorkProgress): void =>
  printProgress(total === null ? `${done} ${what}` : `${done} of ${total} ${what}`);
