// `npm run demo`: makes the demo's sessions and imports them, through the running server when there is one.
import { parseArgs } from "node:util";
import { resolve } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { defaultArchiveDir } from "#lib/archive/base/archive-folder.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { countSession } from "#lib/archive/load/count-tokens.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { askCommand } from "#lib/http/running-server.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { ImportAnswer } from "#lib/wire/sources-schema.ts";
import { writeDemo } from "#bin/demo.ts";
import { systemHost } from "#bin/system-host.ts";

async function main(): Promise<void> {
  const dir = archiveDir();
  let archive: Archive;
  try {
    archive = await openArchive({ dir, host: systemHost() });
  } catch (error) {
    if (!isAppError(error) || error.code !== "conflict") throw error;
    const request = await askCommand(dir, "import", { paths: await writeDemo(dir) });
    if (request === null) throw error;
    tell(request.answer as ImportAnswer);
    console.log("The running server shows them on its first page.");
    return;
  }
  try {
    const answer = await importPaths(archive, await writeDemo(dir));
    tell(answer);
    for (const id of answer.files.flatMap((file) => file.sessions)) {
      await countSession(archive, findSession(archive, id));
      const { title, modelCalls, peak } = await showSession(archive, id);
      const share =
        peak.tokens === null || !peak.loadLine
          ? ""
          : ` (${Math.round((100 * peak.tokens) / peak.loadLine)} % of the load line)`;
      console.log(
        `  ${id}  ${title}\n      ${modelCalls.own} model calls, peak ${peak.tokens?.toLocaleString("en")} tokens, ${peak.origin}${share}`,
      );
    }
    console.log("Open them with npm start.");
  } finally {
    await closeArchive(archive);
  }
}

function archiveDir(): string {
  try {
    const { values } = parseArgs({ options: { archive: { type: "string" } } });
    return values.archive === undefined ? defaultArchiveDir(process.env) : resolve(values.archive);
  } catch (error) {
    return fail("invalid", "npm run demo knows one option: -- --archive DIR.", error);
  }
}

function tell({ files, totals }: ImportAnswer): void {
  const failed = files.filter((file) => file.status === "failed" || file.status === "skipped");
  for (const file of failed) console.error(`${file.path}: ${file.reason ?? file.status}`);
  if (failed.length > 0) process.exitCode = 1;
  const unchanged = files.filter((file) => file.status === "unchanged").length;
  console.log(
    `The demo: ${files.length} session files (${unchanged} unchanged), ${totals.events} new events, ${totals.artifacts} new artifacts.`,
  );
}

try {
  await main();
} catch (error) {
  console.error(isAppError(error) ? error.message : error);
  process.exitCode = 1;
}
