import { findAll } from "#lib/archive/load/find-all.ts";
import { listFindings, markFinding, showFinding } from "#lib/archive/load/list-findings.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import { findingsQuery, findingMarkRequest, type FindingRow } from "#lib/wire/findings-schema.ts";
import { readRequest, textOption, WrongWords, type Run, type Words } from "./args.ts";
import { noteCache } from "./node-cache.ts";
import { reading, writing, writingHere } from "./open-archive.ts";
import { count, counted, oneLine, printJson, printProgress, table } from "./print.ts";

export const run: Run = async (words) => {
  const [id] = words.args;
  const mark = textOption(words, "mark");
  if (mark !== undefined) return marked(words, id, mark);
  return id === undefined ? list(words) : show(words, id);
};

async function list(words: Words): Promise<void> {
  const query = readRequest(findingsQuery, {
    state: textOption(words, "state"),
    project: textOption(words, "project"),
    since: textOption(words, "since"),
    limit: textOption(words, "limit"),
  });
  noteCache(words);
  const due = await reading(words, (archive) => listFindings(archive, query));
  if (due.waiting > 0) await catchUp(words);
  return reading(words, async (archive) => {
    const answer = due.waiting > 0 ? await listFindings(archive, query) : due;
    if (words.options["json"] === true) return printJson(answer);
    const waiting = answer.waiting > 0 ? ` ${counted(answer.waiting, "session")} not analysed yet.` : "";
    if (answer.findings.length === 0) return console.log(`No findings.${waiting}`);
    console.log(
      table(
        ["finding", "seen", "sessions", "avoidable", "last seen", "do", "id"],
        answer.findings.map((row) => [
          ...[oneLine(`${row.subject}${row.state === "back" ? " (came back)" : ""}`, 60), count(row.count)],
          ...[count(row.sessions), costOf(row), row.lastSeen?.slice(0, 10) ?? "–", oneLine(row.fix, 60), row.id],
        ]),
        new Set([0, 4, 5, 6]),
      ),
    );
    const more = answer.total > answer.findings.length ? `, ${answer.total - answer.findings.length} more` : "";
    console.log(`\n${counted(answer.findings.length, "finding")}${more}: ${costOf(answer)} avoidable.${waiting}`);
  });
}

/** No server may have run since the last import. One that runs goes on with them itself. */
async function catchUp(words: Words): Promise<void> {
  try {
    await writingHere(words, (archive) =>
      findAll(archive, (done, total) => printProgress(`${count(done)} of ${count(total)} sessions analysed`)),
    );
  } catch (error) {
    if (isAppError(error) && error.code === "conflict") return;
    console.error(`The findings are not up to date: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    printProgress("");
  }
}

const costOf = ({ usd, isPartial }: Pick<FindingRow, "usd" | "isPartial">): string =>
  estimatedUsd(usd, isPartial) ?? "–";

const show = (words: Words, id: string): Promise<void> =>
  reading(words, async (archive) => {
    const answer = await showFinding(archive, id);
    if (words.options["json"] === true) return printJson(answer);
    const { finding, seen } = answer;
    console.log(
      `${oneLine(finding.subject, 200)}: ${costOf(finding)} avoidable in ${counted(finding.sessions, "session")}.`,
    );
    console.log(`Do: ${oneLine(finding.fix, 200)}\n`);
    console.log(
      table(
        ["when", "avoidable", "session", "event", "what"],
        seen.map(({ at, usd, sessionId, seq, label }) => [
          ...[at?.slice(0, 16).replace("T", " ") ?? "–", estimatedUsd(usd, false) ?? "–", sessionId],
          ...[seq === null ? "–" : String(seq), oneLine(label, 60)],
        ]),
        new Set([0, 2, 4]),
      ),
    );
  });

async function marked(words: Words, id: string | undefined, mark: string): Promise<void> {
  const read = findingMarkRequest.safeParse({ mark });
  if (!read.success) throw new WrongWords(`--mark takes open, muted or done, not "${mark}".`);
  if (id === undefined) throw new WrongWords("--mark needs a finding's id. plimsoll findings lists them.");
  const row = await writing<FindingRow>(words, "finding-mark", { id, ...read.data }, (archive) =>
    markFinding(archive, id, read.data),
  );
  if (words.options["json"] === true) return printJson(row);
  console.log(`${oneLine(row.subject, 200)}: ${row.state === "back" ? "came back" : row.state}.`);
}
