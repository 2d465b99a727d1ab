import { resolve } from "node:path";
import { attachDirectory } from "#lib/archive/memory/attach-directory.ts";
import { attachedAnswer } from "#lib/wire/attached-schema.ts";
import { writing } from "./open-archive.ts";
import { count, plain, printJson } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = async (words) => {
  const path = resolve(words.args[0]!);
  const answer = attachedAnswer.parse(
    await writing(words, "attach", { path }, (archive) => attachDirectory(archive, path)),
  );
  if (words.options["json"] === true) return printJson(answer);
  const { created, sessionId, nativeId, generation, added, refuses, warnings } = answer;
  const of = generation === null ? "" : ` of generation ${generation}`;
  console.log(
    `${created ? "Attached" : "Read again"} ${plain(answer.path)}${of}: session ${sessionId} (${plain(nativeId)}), ${count(added)} new events`,
  );
  for (const warning of warnings) console.log(`  ${plain(warning)}`);
  console.log(plain(refuses ?? `Plimsoll writes to it only when you run: plimsoll compact ${sessionId}`));
};
