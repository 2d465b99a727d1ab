import type { WorkProgress } from "#lib/archive/base/work-options.ts";
import { calibrate } from "#lib/archive/load/calibration.ts";
import { fail } from "#lib/kernel/errors.ts";
import { calibrationAnswer, type CalibrateRequest, type CalibrationAnswer } from "#lib/wire/calibration-schema.ts";
import { reading, writing } from "./open-archive.ts";
import { count, printJson, printProgress, table } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = async (words) => {
  const dryRun = words.options["dry-run"] === true;
  const reset = words.options["reset"] === true;
  if (dryRun && reset) fail("invalid", "--dry-run and --reset were both given. Give one of them.");
  const looking = words.options["json"] === true ? {} : { onProgress: progress, onFit: progress };
  const request: CalibrateRequest = { do: dryRun ? "look" : reset ? "reset" : "fit" };
  const answer = dryRun
    ? await reading(words, (archive) => calibrate(archive, request, looking))
    : await writing<CalibrationAnswer>(words, "calibrate", request, (archive) => calibrate(archive, request, looking));
  if (words.options["json"] === true) printJson(calibrationAnswer.parse(answer));
  else print(answer, request);
};

const progress = ({ done, total, what }: WorkProgress): void =>
  printProgress(done === total ? "" : `${count(done)} of ${total === null ? "?" : count(total)} ${what}`);

const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? "–" : `${(share * 100).toFixed(1)} %`;

function print(answer: CalibrationAnswer, { do: did }: CalibrateRequest): void {
  if (answer.transitions === 0) {
    console.log("Nothing to fit: no session reports the prompt sizes of two calls in a row.");
    return;
  }
  console.log(
    `Estimate error before reconciliation (sum of errors / sum of growth): ${count(answer.transitions)} transitions of ${count(answer.looked)} sessions\n`,
  );
  const row = (
    name: string,
    one: CalibrationAnswer["models"][number] | CalibrationAnswer["families"][number],
  ): string[] => [
    name,
    count(one.transitions),
    percent(one.charsOver4.wape),
    percent(one.shipped.wape),
    percent(one.current.wape),
    percent(one.fitted?.wape),
  ];
  console.log(
    table(
      ["model", "transitions", "chars/4", "shipped", "in use", "fitted*"],
      answer.families.flatMap((family) => [
        row(family.family, family),
        ...answer.models
          .filter((model) => model.family === family.family)
          .map((model) => row(`  ${model.model}`, model)),
      ]),
    ),
  );
  console.log("\n* fitted without the session that it is tested on");
  for (const { sessionId, call, predicted, reported, agentSaid } of answer.clearings)
    console.log(
      `${sessionId}, call ${call ?? "–"}: results cleared. Ledger ${count(predicted)}, prompt fell by ${count(reported)}, agent reported ${count(agentSaid)}`,
    );
  for (const { model, requests, charged, text } of answer.overheads)
    console.log(
      `${model}: ${count(charged)} tokens charged for ${count(requests)} complete ${requests === 1 ? "request" : "requests"}, text estimated at ${count(text)} (${percent(charged / text - 1)} more)`,
    );
  for (const { family, isFitted, missing, source } of answer.families) {
    if (did === "fit" && isFitted) console.log(`${family}: saved, fitted to ${source}`);
    else if (did === "fit" && missing > 0)
      console.log(`${family}: shipped constants kept, ${count(missing)} more transitions needed`);
    else console.log(`${family}: ${source}`);
  }
}
