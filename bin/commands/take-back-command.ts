import { takeBack } from "#lib/archive/handover/carry-on.ts";
import { listCarryOns } from "#lib/archive/handover/handover-rows.ts";
import { takeBackAnswer, type CarryOnRow } from "#lib/wire/carry-on-schema.ts";
import { WrongWords, type Run } from "./args.ts";
import { reading, writing } from "./open-archive.ts";
import { count, oneLine, plain, printJson, table } from "./print.ts";

export const run: Run = async (words) => {
  const id = words.args[0];
  const isJson = words.options["json"] === true;
  if (words.options["list"] === true) {
    const list = await reading(words, async (archive) => listCarryOns(archive, id));
    if (isJson) printJson(list);
    else if (list.rows.length === 0) console.log("No session was carried on.");
    else
      console.log(
        table(
          ["Id", "Written", "Session", "Predicted", "Real", "State", "Of"],
          list.rows.map((row) => [
            row.id,
            row.writtenAt,
            row.session.id,
            count(row.tokens.predicted),
            row.tokens.real === null ? "" : count(row.tokens.real),
            stateOf(row),
            oneLine(row.origin.title ?? row.origin.id, 40),
          ]),
        ),
      );
    return;
  }
  if (id === undefined) throw new WrongWords("plimsoll take-back needs CONTINUATION, or --list.");
  const { status, row } = takeBackAnswer.parse(
    await writing(words, "take-back", { id }, (archive) => takeBack(archive, id)),
  );
  if (isJson) return printJson({ status, row });
  console.log(status === "removed" ? `Removed ${plain(row.path)}` : `${plain(row.path)} was gone already.`);
};

const stateOf = ({ takenBackAt, tokens, session }: CarryOnRow): string =>
  takenBackAt !== null ? "taken back" : tokens.real !== null ? "in use" : session.isImported ? "read" : "written";
