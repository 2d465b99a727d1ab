// The store of Cursor's terminal agent: one database a conversation. Its messages are JSON under the sha-256 of their bytes, and the root,
// a message of protobuf, lists those that the model is sent, in order. What a summary took the place of stands in archives beside it.
// docs/formats/cursor.md says how this is known.
import type { DatabaseQueries, Tables } from "#lib/kernel/draft.ts";
import { asText, isObject, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { missingColumns } from "../database-rows.ts";
import { bytesOf, numberOf, protobufFields, textOf } from "./protobuf.ts";

const NEEDED = { blobs: ["id", "data"], meta: ["key", "value"] };

/** A message is JSON with a role; other blobs are files, and what the client shows. */
const TEXT = "CASE WHEN json_valid(CAST(b.data AS TEXT)) THEN CAST(b.data AS TEXT) END";
const ROLE = `CASE WHEN json_valid(CAST(b.data AS TEXT)) THEN CAST(b.data AS TEXT) ->> 'role' END`;

const STORE = `WITH
  store(m) AS MATERIALIZED (SELECT (SELECT cursor_meta(value) FROM meta WHERE key = '0')),
  root(r) AS MATERIALIZED (SELECT (SELECT cursor_root(data) FROM blobs WHERE id = (SELECT m ->> 'root' FROM store))),
  named AS MATERIALIZED (SELECT l.key AS n, l.value AS id FROM root, json_each(r, '$.messages') l),
  sent AS MATERIALIZED (SELECT n, id FROM named WHERE EXISTS (SELECT 1 FROM named o JOIN blobs b ON b.id = o.id WHERE ${ROLE} IS NOT NULL))`;

/** The first prompt has an id of its request in it: no other store has it. */
const FIRST = (which: string): string => `(SELECT b.id FROM blobs b WHERE ${which} ORDER BY b.rowid LIMIT 1)`;
const FIRST_PROMPT = FIRST(`${ROLE} = 'user' AND json_type(CAST(b.data AS TEXT), '$.content') = 'array'`);

/**
 * The instructions, what each summary took the place of, the summary, and what the model is sent now: the order in which it was said.
 * A store whose root lists no message, as one of a release to come may, has them as they were written.
 */
const MESSAGES = `${STORE},
  rest AS (SELECT coalesce(min(iif(${ROLE} = 'system', NULL, s.n)), 0) AS n FROM sent s LEFT JOIN blobs b ON b.id = s.id),
  archive AS (SELECT l.key AS k, b.id, cursor_archive(b.data) AS a FROM root, json_each(r, '$.archives') l JOIN blobs b ON b.id = l.value),
  listed AS (
    SELECT iif(sent.n < rest.n, 0, 2) AS part, 0 AS k, sent.n AS n, sent.id AS id, NULL AS summary FROM sent, rest
    UNION ALL SELECT 1, k, l.key, l.value, NULL FROM archive, json_each(a, '$.messages') l
      WHERE l.value NOT IN (SELECT id FROM sent) AND l.value IN (SELECT id FROM blobs)
    UNION ALL SELECT 1, k, 1e9, id, a ->> 'summary' FROM archive WHERE a IS NOT NULL
    UNION ALL SELECT 2, 0, b.rowid, b.id, NULL FROM blobs b WHERE NOT EXISTS (SELECT 1 FROM sent) AND ${ROLE} IS NOT NULL)
  SELECT l.id || iif(row_number() OVER same = 1, '', '/' || row_number() OVER same) AS id, l.summary,
      iif(l.summary IS NULL, coalesce(${TEXT}, b.data), NULL) AS data
    FROM listed l LEFT JOIN blobs b ON b.id = l.id WHERE ? IS NOT NULL
    WINDOW same AS (PARTITION BY l.id ORDER BY l.part, l.k, l.n) ORDER BY l.part, l.k, l.n`;

export function storeQueries(tables: Tables): DatabaseQueries | string | null {
  if (!tables.has("blobs") || !tables.has("meta")) return null;
  const missing = missingColumns(tables, NEEDED);
  if (missing !== null) return missing;
  return {
    functions: { cursor_meta: metaOf, cursor_root: rootOf, cursor_archive: archiveOf },
    sessions: `${STORE} SELECT * FROM (
        SELECT coalesce(m ->> 'id', ${FIRST_PROMPT}, ${FIRST(`${ROLE} IS NOT NULL`)}) AS id, coalesce(m ->> 'createdAt', 0) AS changed,
          coalesce(m, '') || '/' || (SELECT count(*) FROM blobs) AS stamp FROM store)
      WHERE id IS NOT NULL AND (EXISTS (SELECT 1 FROM sent) OR EXISTS (SELECT 1 FROM blobs b WHERE ${ROLE} IS NOT NULL))`,
    records: [
      {
        table: "chat",
        sql: `${STORE} SELECT ? AS id, m ->> 'name' AS name, m ->> 'mode' AS mode, m ->> 'createdAt' AS createdAt, m ->> 'model' AS model,
          r ->> 'folder' AS folder, r ->> 'branch' AS branch FROM store, root`,
      },
      {
        table: "unlisted",
        sql: `${STORE} SELECT ? AS id, m ->> 'root' AS root FROM store WHERE NOT EXISTS (SELECT 1 FROM sent)`,
      },
      { table: "message", sql: MESSAGES },
      {
        table: "context",
        sql: `${STORE} SELECT ? AS id, r ->> 'used' AS used, r ->> 'window' AS window FROM root WHERE r ->> 'used' > 0`,
      },
    ],
  };
}

/** The row about the conversation: JSON as hex digits. It has a key too, which stays where it is. */
function metaOf(value: unknown): string | null {
  const told = asText(value) ?? "";
  const meta = parseJson(told) ?? parseJson(textOf(bytesOfHex(told)) ?? "");
  if (!isObject(meta)) return null;
  const { agentId, latestRootBlobId, name, mode, createdAt, lastUsedModel } = meta;
  const id = asText(agentId);
  return JSON.stringify({
    ...{ id: id !== null && /^[\w-]{1,200}$/.test(id) ? id : null, root: asText(latestRootBlobId) },
    ...{ name: asText(name), mode: asText(mode), createdAt: msOf(createdAt), model: asText(lastUsedModel) },
  } satisfies Json);
}

/** Milliseconds, in a text in some releases. */
const msOf = (value: unknown): number | null => {
  const ms = typeof value === "string" || typeof value === "number" ? Math.round(Number(value)) : 0;
  return Number.isSafeInteger(ms) && ms > 0 ? ms : null;
};

function bytesOfHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(text)) return undefined;
  return Buffer.from(text, "hex");
}

const ID_BYTES = 32;
const idsOf = (listed: readonly Uint8Array[]): string[] =>
  listed.filter(({ length }) => length === ID_BYTES).map((id) => Buffer.from(id).toString("hex"));

/** Fields of the state of a conversation, by the numbers that the client gives them. */
const ROOT = { messages: 1, tokens: 5, folders: 9, archives: 13, branches: 21 } as const;

function rootOf(value: unknown): string | null {
  const root = value instanceof Uint8Array ? protobufFields(value) : null;
  if (root === null) return null;
  const tokens = protobufFields(bytesOf(root, ROOT.tokens)[0] ?? new Uint8Array());
  const branch = protobufFields(bytesOf(root, ROOT.branches)[0] ?? new Uint8Array());
  return JSON.stringify({
    ...{ messages: idsOf(bytesOf(root, ROOT.messages)), archives: idsOf(bytesOf(root, ROOT.archives)) },
    ...{ folder: textOf(bytesOf(root, ROOT.folders)[0]), branch: textOf(bytesOf(branch, 2)[0]) },
    ...{ used: numberOf(tokens, 1), window: numberOf(tokens, 2) },
  });
}

function archiveOf(value: unknown): string | null {
  const archive = value instanceof Uint8Array ? protobufFields(value) : null;
  if (archive === null) return null;
  return JSON.stringify({ messages: idsOf(bytesOf(archive, 1)), summary: textOf(bytesOf(archive, 2)[0]) ?? "" });
}
