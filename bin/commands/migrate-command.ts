import { resolve } from "node:path";
import { migrateTranscript, type MigrationReport } from "#lib/archive/migrate-transcript.ts";
import { plain, printJson } from "./print.ts";
import { textOption, type Run } from "./args.ts";

export const run: Run = async (words) => {
  const artifacts = textOption(words, "artifacts");
  const key = textOption(words, "key");
  const reports: (MigrationReport & { path: string })[] = [];
  for (const given of words.args) {
    const path = resolve(given);
    const report = await migrateTranscript(path, {
      ...(artifacts !== undefined && { artifactsDir: resolve(artifacts) }),
      ...(key !== undefined && { sessionKey: key }),
    });
    reports.push({ path, ...report });
  }
  if (words.options["json"] === true) printJson({ files: reports });
  else for (const report of reports) console.log(sentenceOf(report));
  return reports.every((report) => report.migrated || report.reason === "already migrated") ? 0 : 1;
};

function sentenceOf({
  path,
  migrated,
  updatedEntries,
  createdArtifacts,
  backupPath,
  reason,
}: MigrationReport & { path: string }): string {
  if (!migrated) return `${plain(path)}: ${plain(reason ?? "nothing changed")}.`;
  return `${plain(path)}: moved ${updatedEntries} results into ${createdArtifacts} artifacts. Backup: ${plain(backupPath ?? "")}`;
}
