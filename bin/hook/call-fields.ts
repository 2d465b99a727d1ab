// Fields of what an agent says, checked without a schema library: zod/mini with our schemas took 4 ms of every large call.

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function fieldsOf(value: unknown, what: string): Fields {
  if (!isFields(value)) throw new Error(`${what} is ${kindOf(value)}, not an object. The output stays with the agent.`);
  return value;
}

export function textOf(fields: Fields, key: string): string {
  const value = fields[key];
  if (typeof value !== "string")
    throw new Error(`${key} is ${kindOf(value)}, not a text. The output stays with the agent.`);
  return value;
}

export const textOrNull = (fields: Fields, key: string): string | null =>
  fields[key] === undefined ? null : textOf(fields, key);

export function requireEvent(fields: Fields, events: readonly string[]): string {
  const event = textOf(fields, "hook_event_name");
  if (!events.includes(event))
    throw new Error(`hook_event_name is ${event}, not ${events.join(" or ")}. The output stays with the agent.`);
  return event;
}

const kindOf = (value: unknown): string =>
  value === undefined ? "missing" : value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
