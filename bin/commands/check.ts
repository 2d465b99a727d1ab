import { check } from "#lib/archive/check.ts";
import { rebuild } from "#lib/archive/rebuild.ts";
import { checkAnswer, type CheckAnswer } from "#lib/wire/check.ts";
import { reading, writing } from "./archive.ts";
import { count, plain, printJson } from "./print.ts";
import type { Command } from "./words.ts";

export const checkCommand: Command = {
  name: "check",
  args: [],
  options: { rebuild: "flag" },
  about: "verify blobs, rows and registries; --rebuild mends what can be mended",
  run: async (words) => {
    const answer =
      words.options["rebuild"] === true
        ? await writing<CheckAnswer>(words, "check", { rebuild: true }, (archive) => rebuild(archive))
        : checkAnswer.parse(await reading(words, (archive) => check(archive)));
    if (words.options["json"] === true) printJson(answer);
    else print(answer);
    return answer.ok ? 0 : 1;
  },
};

function print({ ok, blobs, rows, registry, rebuilt, problems }: CheckAnswer): void {
  console.log(
    `${count(blobs.checked)} blobs: ${blobs.corrupt} corrupt, ${blobs.missing} missing, ${blobs.orphan} that nothing names`,
  );
  console.log(`${count(rows.checked)} rows: ${rows.bad} bad`);
  console.log(`${count(registry.lines)} registry lines: ${registry.bad} bad`);
  if (rebuilt !== null)
    console.log(
      `Rebuilt: ${rebuilt.artifacts} artifacts, ${rebuilt.names} names, ${rebuilt.sessions} sessions with ${count(rebuilt.events)} events`,
    );
  for (const problem of problems.slice(0, 50))
    console.log(`${problem.kind}  ${plain(problem.ref)}\n    ${plain(problem.text)}`);
  if (problems.length > 50) console.log(`and ${problems.length - 50} more (--json lists them)`);
  console.log(ok ? "All is well." : "Not all is well.");
}
