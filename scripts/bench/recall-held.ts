// The collected sessions told again to sessions that Plimsoll holds, with every output offloaded: recall has to know them as
// well as it would from outputs that stand in the log.
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { rowRange, seqOfRow } from "#lib/archive/base/row-keys.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { subjectsOf, type CallSubjects } from "#lib/archive/memory/recall-subjects.ts";
import { recall } from "#lib/archive/memory/recall-session.ts";
import { wholeText } from "#lib/archive/artifacts/whole-text.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { callFacts } from "#lib/kernel/memory/extractive/call-facts.ts";
import { RecallIndex } from "#lib/kernel/memory/recall/recall-index.ts";
import { momentsOf, sessionsIn } from "./recall-moments.ts";

export type HeldResult = {
  readonly moments: number;
  /** Hits among the first five: offloaded, through the archive; and with each output's beginning in the log. */
  readonly offloaded: number;
  readonly inline: number;
};

const LEAST_BYTES = 500;
const SHOWN = 5;

export const HELD_TASKS = {
  async "recall-held"({
    paths,
    dir,
  }: {
    readonly paths: readonly string[];
    readonly dir: string;
  }): Promise<HeldResult> {
    const archive = await openArchive({ dir, host: systemHost() });
    try {
      await importPaths(archive, paths);
      let [moments, offloaded, inline] = [0, 0, 0];
      for (const pk of sessionsIn(archive)) {
        const result = await ingestAgain(archive, pk);
        if (result.moments > 0)
          console.error(`${pk}: ${result.offloaded} and ${result.inline} of ${result.moments} among five`);
        moments += result.moments;
        offloaded += result.offloaded;
        inline += result.inline;
      }
      return { moments, offloaded, inline };
    } finally {
      await closeArchive(archive);
    }
  },
};

type Row = { id: number; toolCallId: string | null; artifact: string | null; bytes: number; body: string };
type Call = { readonly subjects: CallSubjects; readonly toolName: string; readonly input: unknown };

async function ingestAgain(archive: Archive, pk: number): Promise<HeldResult> {
  const { moments } = await momentsOf(archive, pk, LEAST_BYTES);
  if (moments.length === 0) return { moments: 0, offloaded: 0, inline: 0 };
  const asks = new Map(moments.map((moment) => [moment.seq, moment]));
  const policy = { preset: "openclaw", envelope_style: "lean" };
  const { id: session } = await createSession(archive, { id: `again-${pk}`, policy });
  const rows = archive.sqlite
    .prepare(
      `SELECT id, tool_call_id AS toolCallId, artifact, bytes, body FROM events
     WHERE id BETWEEN ? AND ? AND synthetic = 0 AND type IN ('tool_call', 'tool_result') ORDER BY id`,
    )
    .all(...rowRange(pk)) as Row[];
  const inLog = new RecallIndex();
  const calls = new Map<string, Call>();
  const pathOf = new Map<string, string | null>();
  let [offloaded, inline, count] = [0, 0, 0];
  for (const row of rows) {
    const body = JSON.parse(row.body) as EventBody;
    const ask = asks.get(seqOfRow(row.id));
    if (ask !== undefined) {
      const path = subjectsOf("", body.type === "tool_call" ? body.input : {}, factsOf(body), null).path;
      const { items } = await recall(archive, session, { query: ask.query, k: SHOWN, maxChars: SHOWN * 400 });
      const { ranked } = inLog.rank({ query: ask.query, limit: SHOWN });
      if (items.some(({ pointer }) => pathOf.get(pointer) === path)) offloaded++;
      if (ranked.some(({ doc }) => doc.path === path)) inline++;
    }
    if (body.type === "tool_call") {
      const subjects = subjectsOf(body.toolName, body.input, factsOf(body), null);
      const event = { type: "tool_call", toolCallId: body.toolCallId, toolName: body.toolName, input: body.input };
      const { seqs } = await ingest(archive, session, [{ record: "event", body: event }]);
      for (const subject of subjects.uses) inLog.use(subject, seqs[0]!);
      if (body.toolCallId !== null)
        calls.set(body.toolCallId, { subjects, toolName: body.toolName, input: body.input });
      continue;
    }
    const call = row.toolCallId === null ? undefined : calls.get(row.toolCallId);
    if (call === undefined || body.type !== "tool_result" || row.bytes < LEAST_BYTES) continue;
    const text = (row.artifact === null ? null : await wholeText(archive, row.artifact)) ?? body.text;
    const input = { session, toolName: call.toolName, toolCallId: row.toolCallId!, isError: body.isError };
    const { decision, seq } = await recordOutput(archive, input, Buffer.from(text));
    if (decision.pointer === null || seq === null)
      throw new Error(`An output of ${row.bytes} bytes was not offloaded.`);
    const { subjects } = call;
    pathOf.set(decision.pointer, subjects.path);
    const request = subjects.path === null ? subjects.input : "";
    inLog.add({
      pointer: String(count),
      artifactId: String(count++),
      position: seq,
      subject: subjects.main,
      name: null,
      toolName: call.toolName,
      path: subjects.path,
      text: `${request} ${text.slice(0, LIMITS.previewBytes)}`,
    });
  }
  return { moments: moments.length, offloaded, inline };
}

const factsOf = (body: EventBody) =>
  callFacts(body.type === "tool_call" ? body.toolName : "", body.type === "tool_call" ? body.input : {});
