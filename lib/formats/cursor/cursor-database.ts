// The table of Cursor's editor in which conversations stand: a key and a document each. What is asked of a document are the parts that
// are read: the others change while the editor is open.
import type { DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { asObject } from "../json.ts";
import { storeQueries } from "./cursor-store.ts";

/** Keys that begin so, by the index: `;` is the character behind `:`. */
const begins = (key: string, prefix: string): string => `${key} >= ${prefix} || ':' AND ${key} < ${prefix} || ';'`;

const COMPOSERS = `SELECT substr(key, 14) AS id, CAST(value AS TEXT) AS data FROM cursorDiskKV`;
const ONE = `WITH asked AS (${COMPOSERS} WHERE key = 'composerData:' || ?)`;
/** The same with its summary, looked up once: a conversation may have thousands of pieces. */
const SUMMED = `${ONE}, summed AS MATERIALIZED (SELECT id, data, json_extract(data, '$.latestConversationSummary.summary') AS summary,
  json_extract(data, '$.latestConversationSummary.lastBubbleId') AS summedAt FROM asked)`;

const PARTS = ["type", "text", "thinking", "toolFormerData", "tokenCount", "createdAt", "modelInfo", "errorDetails"];
const NAMED = [
  ...PARTS.map((name) => [name, name] as const),
  ...([
    ["folder", "workspaceUris[0]"],
    ["began", "timingInfo.clientStartTime"],
  ] as const),
];
const partsOf = (document: string): string => {
  const pairs = NAMED.map(([name, path]) => `'${name}', json_extract(${document}, '$.${path}')`).join(", ");
  // A piece without a summary is as it was.
  const own = `nullif(json_extract(${document}, '$.conversationSummary'), '')`;
  const summary = `coalesce(${own}, iif(a.summedAt = json_extract(h.value, '$.bubbleId'), a.summary, NULL))`;
  const parts = `CASE WHEN ${summary} IS NULL THEN json_object(${pairs})
    ELSE json_insert(json_object(${pairs}), '$.summary', ${summary}) END`;
  return `CASE WHEN json_valid(${document}) THEN ${parts} ELSE json_object('damaged', ${document}) END`;
};

const length = (list: string): string => `coalesce(json_array_length(data, '$.${list}'), 0)`;

export const cursorDatabase: DatabaseReader = {
  queries(tables: Tables) {
    const columns = tables.get("cursorDiskKV");
    if (columns === undefined) return storeQueries(tables);
    if (!columns.includes("key") || !columns.includes("value")) return `The table "cursorDiskKV" has no key, value.`;
    return {
      sessions: `WITH composers AS (${COMPOSERS} WHERE ${begins("key", "'composerData'")})
        SELECT id, coalesce(json_extract(data, '$.lastUpdatedAt'), json_extract(data, '$.createdAt'), 0) AS changed,
          length(data) || '/' || coalesce(json_extract(data, '$.lastUpdatedAt'), '') || '/' ||
          (SELECT count(*) || '/' || coalesce(sum(length(b.value)), 0) FROM cursorDiskKV b WHERE ${begins("b.key", "'bubbleId:' || id")}) AS stamp
        FROM composers
        WHERE CASE WHEN json_valid(data) THEN ${length("fullConversationHeadersOnly")} + ${length("conversation")} ELSE 0 END > 0
        ORDER BY coalesce(json_extract(data, '$.createdAt'), 0), id`,
      records: [
        {
          table: "composer",
          sql: `${ONE} SELECT id, json_extract(data, '$.name') AS name, json_extract(data, '$.createdAt') AS createdAt,
            json_extract(data, '$.modelConfig.modelName') AS model, json_extract(data, '$.createdOnBranch') AS branch,
            json_extract(data, '$.workspaceIdentifier.uri.fsPath') AS folder,
            json_extract(data, '$.subagentInfo.parentComposerId') AS parent FROM asked`,
        },
        {
          table: "bubble",
          sql: `${SUMMED} SELECT id, data FROM (
              SELECT json_extract(h.value, '$.bubbleId') AS id, h.key AS n, ${partsOf("CAST(b.value AS TEXT)")} AS data
                FROM summed a, json_each(a.data, '$.fullConversationHeadersOnly') h
                JOIN cursorDiskKV b ON b.key = 'bubbleId:' || a.id || ':' || json_extract(h.value, '$.bubbleId')
              UNION ALL
              SELECT coalesce(json_extract(h.value, '$.bubbleId'), 'n' || h.key), h.key, ${partsOf("h.value")}
                FROM summed a, json_each(a.data, '$.conversation') h WHERE ${length("fullConversationHeadersOnly")} = 0)
            ORDER BY n`,
        },
        {
          table: "usage",
          sql: `${ONE} SELECT id, json_extract(data, '$.usageData') AS models FROM asked WHERE json_extract(data, '$.usageData') <> '{}'`,
        },
      ],
    };
  },
  /** A call that still runs. */
  isOpen: (table, row) =>
    table === "bubble" &&
    ["loading", "pending", "running"].includes(
      String(asObject(asObject(row["data"])["toolFormerData"])["status"] ?? ""),
    ),
};
