// SQL of OTLP requests: what a row of a database says, as the JSON of one span.

/** The table that the lines of such databases name. */
export const TRACE_ROWS = "otlp";

type Pairs = Readonly<Record<string, string>>;

/** SQL of a JSON object; a value is SQL too. */
export const object = (pairs: Pairs): string =>
  `json_object(${Object.entries(pairs)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(", ")})`;
const list = (sql: string): string => `json_array(${sql})`;

/** A request with one span, as JSON that SQLite makes. */
export function requestOf(service: string, span: Pairs, attributes: string): string {
  const name = object({ key: "'service.name'", value: object({ stringValue: `'${service}'` }) });
  const spans = list(object({ ...span, attributes: `json(${attributes})` }));
  const resource = object({ attributes: list(name) });
  return object({ resourceSpans: list(object({ resource, scopeSpans: list(object({ spans })) })) });
}

/** Of each pair a row, those without a value left out. */
export function attributesOf(pairs: readonly (readonly [key: string, sql: string])[], more = ""): string {
  const rows = pairs.map(([key, sql]) => `SELECT '${key}' AS key, ${sql} AS value`).join(" UNION ALL ");
  return `(SELECT json_group_array(json_object('key', key, 'value',
     CASE WHEN typeof(value) = 'integer' THEN json_object('intValue', CAST(value AS TEXT)) ELSE json_object('stringValue', CAST(value AS TEXT)) END))
   FROM (${rows}${more}) WHERE value IS NOT NULL)`;
}
