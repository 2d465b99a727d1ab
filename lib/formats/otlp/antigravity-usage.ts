// What Antigravity notes of each request to the model, in the database of a conversation: protobuf without a published schema. The numbers
// of the fields are those on which readers of real files agree, and which one of them held against the bill of the provider.
import type { DatabaseQueries, Tables } from "#lib/kernel/draft.ts";
import { columnOrNull } from "../database-rows.ts";
import { bytesOf, numberOf, protobufFields, textOf, type Fields } from "../cursor/protobuf.ts";
import { attributesOf, requestOf, TRACE_ROWS } from "./span-sql.ts";

export const USED = { gen_metadata: ["idx", "data"], trajectory_meta: ["cascade_id"] };

const PRODUCTS = ["antigravity", "antigravity-ide", "antigravity-cli"];

export const antigravityFolders = (home: string | null | undefined, separator: string): string[] =>
  home ? PRODUCTS.map((name) => [home, ".gemini", name, "conversations"].join(separator)) : [];

export const isConversation = (path: string): boolean =>
  /[\\/]conversations[\\/][\da-f]{8}-[\da-f-]{27}\.db$/i.test(path);

const inside = (fields: Fields | null, field: number): Fields | null => {
  const bytes = bytesOf(fields, field)[0];
  return bytes === undefined ? null : protobufFields(bytes);
};
const fieldsOf = (value: unknown): Fields | null => (value instanceof Uint8Array ? protobufFields(value) : null);
const words = (fields: Fields | null, field: number): string | null => textOf(bytesOf(fields, field)[0]) || null;

/** Milliseconds since 1970 of a time in seconds and nanoseconds. */
function timeIn(fields: Fields | null): number | null {
  const seconds = numberOf(fields, 1);
  if (seconds === null || seconds <= 0 || seconds > 1e11) return null;
  return seconds * 1000 + Math.floor((numberOf(fields, 2) ?? 0) / 1e6);
}

/** More than a request can have: then the fields are others. */
const MOST = 1e8;

/** The usage of a request, wherever it stands: what was read from the cache is beside the input, what was thought in the output. */
function usedIn(usage: Fields | null) {
  const [input, output, written, cached, thought, said] = [2, 3, 4, 5, 9, 10].map(
    (field) => numberOf(usage, field) ?? 0,
  );
  const all = Math.max(output!, thought! + said!);
  const prompt = input! + written! + cached!;
  if (usage === null || prompt + all === 0 || prompt + all > MOST) return null;
  return {
    input: prompt,
    output: all,
    written: written!,
    cached: cached!,
    thought: thought!,
    id: words(usage, 11) ?? words(usage, 7),
  };
}

/** A name for people, `Gemini 3.6 Flash (High)`, as those of models are written. */
const modelOf = (name: string): string =>
  name
    .replace(/ *\([^)]*\)$/, "")
    .trim()
    .replaceAll(" ", "-")
    .toLowerCase();

function callOf(value: unknown): string | null {
  const model = inside(fieldsOf(value), 1);
  const used = usedIn(inside(model, 4));
  if (used === null) return null;
  const name = words(model, 21) ?? words(model, 19);
  return JSON.stringify({
    ...used,
    model: name === null ? null : modelOf(name),
    at: timeIn(inside(inside(model, 9), 4)),
  });
}

/** Newer releases note the time of a request with the step that came of it. */
function stepOf(value: unknown): string | null {
  const step = fieldsOf(value);
  const id = usedIn(inside(step, 9))?.id ?? null;
  const at = timeIn(inside(step, 8)) ?? timeIn(inside(step, 1));
  return id === null || at === null ? null : JSON.stringify({ id, at });
}

const begunOf = (value: unknown): string | null => timeIn(inside(fieldsOf(value), 2))?.toString() ?? null;

const FUNCTIONS = { antigravity_call: callOf, antigravity_step: stepOf, antigravity_begun: begunOf };

const of = (name: string): string => `json_extract(c.call, '$.${name}')`;

export function usedQueries(tables: Tables): DatabaseQueries {
  const metadata = columnOrNull(tables, "steps", "metadata");
  const times =
    metadata === "NULL"
      ? "SELECT NULL AS id, NULL AS at WHERE false"
      : `SELECT json_extract(step, '$.id') AS id, min(json_extract(step, '$.at')) AS at
          FROM (SELECT antigravity_step(metadata) AS step FROM steps) WHERE step IS NOT NULL GROUP BY 1`;
  const begun =
    columnOrNull(tables, "trajectory_metadata_blob", "data") === "NULL"
      ? "NULL"
      : "(SELECT CAST(antigravity_begun(data) AS INTEGER) FROM trajectory_metadata_blob LIMIT 1)";
  const at = `coalesce(${of("at")}, t.at, ${begun})`;
  const span = {
    ...{ spanId: "printf('%016x', c.idx + 1)", name: "'chat'" },
    ...{ startTimeUnixNano: `(${at}) || '000000'`, endTimeUnixNano: `(${at}) || '000000'` },
  };
  const attributes = attributesOf([
    ["gen_ai.conversation.id", "m.cascade_id"],
    ["gen_ai.operation.name", "'chat'"],
    ["gen_ai.response.model", of("model")],
    ["gen_ai.usage.input_tokens", of("input")],
    ["gen_ai.usage.output_tokens", of("output")],
    ["gen_ai.usage.cache_read.input_tokens", of("cached")],
    ["gen_ai.usage.cache_creation.input_tokens", of("written")],
    ["gen_ai.usage.reasoning.output_tokens", of("thought")],
  ]);
  return {
    functions: FUNCTIONS,
    sessions: `SELECT m.cascade_id AS id, ${begun} AS changed, (SELECT count(*) || '/' || max(idx) FROM gen_metadata) AS stamp
      FROM trajectory_meta m WHERE m.cascade_id IS NOT NULL LIMIT 1`,
    records: [
      {
        table: TRACE_ROWS,
        sql: `WITH m AS (SELECT cascade_id FROM trajectory_meta WHERE cascade_id = ? LIMIT 1),
          c AS MATERIALIZED (SELECT idx, antigravity_call(data) AS call FROM gen_metadata),
          t AS MATERIALIZED (${times})
        SELECT CAST(c.idx AS TEXT) AS id, ${requestOf("antigravity", span, attributes)} AS request
          FROM m CROSS JOIN c LEFT JOIN t ON t.id = ${of("id")} WHERE c.call IS NOT NULL ORDER BY c.idx`,
      },
    ],
  };
}
