// What a held session's agent wants done to each of its requests: old results pruned once the prompt's cache is cold, and
// artifacts recalled for what the user says. Only what is sent changes, never the log.
import { columns, query, scalar } from "#db/statement.ts";
import { ContextPruner, PRUNE_DEFAULTS } from "#lib/kernel/context/prune.ts";
import { resultOf, type Message } from "#lib/kernel/context/message.ts";
import { withRecall } from "#lib/kernel/memory/recall/recall-block.ts";
import type { MessageStage } from "#lib/kernel/memory/request-assembler.ts";
import type { HeldRequest } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId } from "../base/row-keys.ts";
import { recall } from "./recall-session.ts";

export function requestStages(archive: Archive, pk: number, { prune, recall: request }: HeldRequest): MessageStage[] {
  const stages: MessageStage[] = [];
  if (prune !== undefined) {
    const { allow, deny, ...config } = prune;
    const window = scalar(archive.sqlite, "sessions.window", "FROM sessions WHERE pk = ?").get(pk) ?? null;
    const input = {
      config: { ...PRUNE_DEFAULTS, ...config, mode: "cache-ttl" as const, tools: { allow, deny } },
      contextWindowTokens: window,
      envelopeOf: (message: Message) => artifactLine(archive, pk, message),
    };
    const pruner = new ContextPruner(archive.host, input, lastCallAt(archive, pk));
    stages.push((messages) => pruner.prune(messages)?.messages ?? messages);
  }
  if (request !== undefined)
    stages.push(async (messages) => {
      const query = messages.findLast(({ role, content }) => role === "user" && (content ?? "").trim() !== "")?.content;
      if (query == null) return messages;
      const session = scalar(archive.sqlite, "sessions.id", "FROM sessions WHERE pk = ?").get(pk)!;
      const options = {
        query: query.slice(0, QUERY_CHARS),
        k: request.topK,
        maxChars: request.maxChars,
        hideShown: true,
      };
      const { text } = await recall(archive, session, options);
      return withRecall(messages, text === "" ? null : { message: { role: "user", content: text, toolPayload: null } });
    });
  return stages;
}

const QUERY_CHARS = 4000;

/** When the last answer of the model came. An agent that tells no times has nothing pruned: nobody knows whether the cache is cold. */
const lastCallAt = (archive: Archive, pk: number): number | null =>
  scalar(archive.sqlite, "integer?", "SELECT max(ts) FROM events WHERE id BETWEEN ? AND ? AND call IS NOT NULL").get(
    eventRowId(pk, 0),
    eventRowId(pk + 1, 0),
  ) ?? null;

/** What stands for a pruned result that is kept as an artifact; null for one that is not. */
function artifactLine(archive: Archive, pk: number, message: Message): string | null {
  const seq = resultOf(message) === null ? undefined : message.seqs?.[0];
  if (seq === undefined) return null;
  const row = query(
    archive.sqlite,
    columns("artifacts", "pointer", "size"),
    "SELECT a.pointer, a.size FROM events e JOIN artifacts a ON a.pointer = e.artifact WHERE e.id = ? AND a.deleted_at IS NULL",
  ).get(eventRowId(pk, seq));
  return row === undefined
    ? null
    : `[Old tool result: ${row.size} bytes are kept as ${row.pointer}; read them with artifact_read]`;
}
