import { check } from "#lib/archive/upkeep/check-archive.ts";
import { checkFiles, moveDatabaseAside } from "#lib/archive/upkeep/check-files.ts";
import { isDamaged } from "#lib/archive/base/is-damaged.ts";
import { rebuild } from "#lib/archive/upkeep/rebuild-archive.ts";
import { checkAnswer, type CheckAnswer } from "#lib/wire/check-schema.ts";
import { archiveDir } from "./archive-dir.ts";
import { reading, writing } from "./open-archive.ts";
import { count, plain, printJson } from "./print.ts";
import type { Run, Words } from "./args.ts";

export const run: Run = async (words) => {
  const answer = await (words.options["rebuild"] === true ? rebuildAny(words) : checkAny(words));
  if (words.options["json"] === true) printJson(answer);
  else print(answer);
  return answer.ok ? 0 : 1;
};

async function checkAny(words: Words): Promise<CheckAnswer> {
  try {
    return checkAnswer.parse(await reading(words, (archive) => check(archive)));
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return checkFiles(archiveDir(words), error);
  }
}

/** What cannot be opened is moved aside; a new database is made of the registries, and of the sources at the next import. */
async function rebuildAny(words: Words): Promise<CheckAnswer> {
  const mend = (): Promise<CheckAnswer> =>
    writing<CheckAnswer>(words, "check", { rebuild: true }, (archive) => rebuild(archive));
  try {
    return await mend();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    const name = moveDatabaseAside(archiveDir(words), Date.now());
    const answer = await mend();
    const text = `The database could not be opened and was moved to ${name}. Import your sessions again: plimsoll import PATH.`;
    return { ...answer, ok: false, problems: [{ kind: "database", ref: "archive.db", text }, ...answer.problems] };
  }
}

function print({ ok, blobs, rows, registry, rebuilt, problems }: CheckAnswer): void {
  console.log(
    `${count(blobs.checked)} blobs: ${blobs.corrupt} corrupt, ${blobs.missing} missing, ${blobs.orphan} unused`,
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
  console.log(ok ? "No problems found." : "Problems found.");
}
