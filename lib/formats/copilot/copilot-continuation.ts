// A Copilot session that goes on in a folder of its own: the start under a new name, a compaction as the program writes one itself, and
// behind it the events that stay, as one chain. Events keep their ids, by which copies are known; those of sub-agents stay where they are.
import {
  CONTINUES,
  lineOf,
  NOT_FINISHED,
  type Continuation,
  type ContinuationInput,
  type ContinuationLine,
  type KeptRecord,
} from "#lib/kernel/continuation.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";

export const copilotContinuation: Continuation = {
  versions: ["1.0.102"],
  latest: [],
  notes: ["usage", "assistant.turn_start", "assistant.turn_end", "tool.execution_start"],
  newSessionId: (_, uuid) => uuid,
  pathOf: (source, { id }) => {
    const [, root, separator] =
      /^(.*([\\/])session-state[\\/])(?:[^\\/]+[\\/]events|[^\\/]+)\.jsonl$/.exec(source) ?? [];
    return root === undefined ? null : `${root}${id}${separator}events.jsonl`;
  },
  fileName: () => "events.jsonl",
  resume: ({ id }) => ["copilot", `--resume=${id}`],
  lines,
};

function* lines(input: ContinuationInput): Generator<ContinuationLine> {
  const { id, origin, summary } = input;
  const timestamp = new Date(input.at).toISOString();
  let parentId: string | null = null;
  const chained = (event: Json): Json => {
    const made = { ...event, parentId };
    parentId = asText(event["id"]) ?? parentId;
    return made;
  };
  const own = (type: string, data: Json): Json => chained({ type, data, id: input.newId(), timestamp });
  const { alreadyInUse: _, ...start } = asObject(asObject(input.head[0])["data"]);
  yield lineOf("added", own("session.start", { ...start, sessionId: id, startTime: timestamp, [CONTINUES]: origin }));
  yield lineOf("added", own("session.title_changed", { title: input.title }));
  const records = inOrder(input.records, summary !== null);
  if (summary !== null) {
    const attempt = { compactionAttemptId: input.newId(), trigger: "manual" };
    yield lineOf("added", own("session.compaction_start", { ...attempt, currentTokens: input.tokensBefore }));
    const done = {
      success: true,
      outcome: "applied",
      preCompactionTokens: input.tokensBefore,
      summaryContent: summary,
    };
    yield lineOf("summary", own("session.compaction_complete", { ...attempt, ...done }));
  }
  const open = new Set<string>();
  let note: KeptRecord[] = [];
  for (const record of records) {
    const event = asObject(record.value);
    const type = asText(event["type"]) ?? "";
    const data = asObject(event["data"]);
    if (NOTES.has(type)) {
      note.push(record);
      continue;
    }
    const callId = asText(data["toolCallId"]) ?? "";
    const isResult = type === "tool.execution_complete";
    if (isResult && !open.delete(callId)) continue;
    if (type === "user.message" || type === "assistant.message") yield* closing();
    for (const { value, seqs } of note)
      if (belongs(asObject(value), event)) yield lineOf("added", chained(asObject(value)), seqs, BESIDE);
    note = [];
    if (type === "assistant.message")
      for (const request of asArray(data["toolRequests"])) open.add(asText(asObject(request)["toolCallId"]) ?? "");
    const text = isResult ? record.replaced.get(callId) : undefined;
    if (text === undefined) yield lineOf("kept", chained(event), record.seqs);
    else yield lineOf("replaced", chained({ ...event, data: withText(data, text) }), record.seqs);
  }
  yield* closing();

  /** Each call has one result, or the provider refuses the request. */
  function* closing(): Generator<ContinuationLine> {
    for (const toolCallId of open) {
      const data = { toolCallId, success: false, error: { message: NOT_FINISHED }, result: { content: NOT_FINISHED } };
      yield lineOf("closed", own("tool.execution_complete", data), [], NOT_FINISHED);
    }
    open.clear();
  }
}

const BESIDE = "A note of the program beside the line below.";
const NOTES = new Set(["session.usage_record", "assistant.turn_start", "assistant.turn_end", "tool.execution_start"]);

/** Notes that stand before other lines than in the old file would say something else. */
function belongs(note: Json, event: Json): boolean {
  const [beside, data] = [asObject(note["data"]), asObject(event["data"])];
  if (note["type"] === "tool.execution_start") return beside["toolCallId"] === data["toolCallId"];
  if (note["type"] === "session.usage_record") return asObject(beside["usage"])["apiCallId"] === data["apiCallId"];
  return event["type"] === "assistant.message" && beside["turnId"] === data["turnId"];
}

/** In the order of the file. Behind a summary the compactions before it say nothing more. */
function inOrder(records: Iterable<KeptRecord>, isSummarised: boolean): KeptRecord[] {
  const isCompaction = ({ value }: KeptRecord): boolean =>
    String(asObject(value)["type"]).startsWith("session.compaction_");
  return [...records]
    .toSorted((a, b) => (a.seqs[0] ?? 0) - (b.seqs[0] ?? 0))
    .filter((record) => asObject(record.value)["type"] !== "session.start" && !(isSummarised && isCompaction(record)));
}

/** What the person sees of the result, and the model: images stay. */
function withText(data: Json, text: string): Json {
  const { detailedContent: _, contents: __, ...result } = asObject(data["result"]);
  const isError = data["success"] === false;
  return {
    ...data,
    result: { ...result, content: text },
    ...(isError && { error: { ...asObject(data["error"]), message: text } }),
  };
}
