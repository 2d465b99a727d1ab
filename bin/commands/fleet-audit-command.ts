import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { listAudit } from "#lib/fleet/people/audit.ts";
import { textOption, type Words } from "./args.ts";
import { projectOf, rowsOption } from "./fleet-words.ts";
import { oneLine, printJson, table } from "./print.ts";

/** Who read or deleted what, the newest first. */
export async function audit(fleet: Fleet, words: Words): Promise<void> {
  const name = textOption(words, "project");
  const limit = rowsOption(words);
  const rows = await listAudit(fleet, {
    visible: "all",
    limit,
    ...(name !== undefined && { project: projectOf(name) }),
  });
  if (words.options["json"] === true) return printJson({ rows });
  if (rows.length === 0) return console.log("The audit log has no rows yet.");
  console.log(
    table(
      ["at", "who", "did", "project", "session", "from", "how"],
      rows.map((row) => [
        ...[row.at.slice(0, 19).replace("T", " "), oneLine(row.who, 50), row.action, row.project, row.session ?? "–"],
        ...[oneLine(row.address, 60), oneLine(row.detail, 60)],
      ]),
      new Set([0, 1, 2, 3, 4, 5, 6]),
    ),
  );
}
