// A JSON Schema as the type that a TypeScript programmer would write: shorter than the schema, and read at a glance.

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** Types below this depth are named by their kind alone. */
const DEPTH = 6;

export function schemaText(schema: unknown, depth = 0): string {
  if (!isSchema(schema)) return "unknown";
  const below = (one: unknown): string => schemaText(one, depth + 1);
  if (typeof schema["$ref"] === "string") return schema["$ref"].split("/").at(-1) ?? "unknown";
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((one) => JSON.stringify(one)).join(" | ");
  const either = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(either)) return either.map(below).join(" | ");
  if (Array.isArray(schema["allOf"])) return schema["allOf"].map(below).join(" & ");
  const { type, items } = schema;
  if (Array.isArray(type)) return type.join(" | ");
  if (type === "integer") return "number";
  if (type === "array") {
    const item = schemaText(items, depth);
    return !item.startsWith("{") && /[|&]/.test(item) ? `Array<${item}>` : `${item}[]`;
  }
  if (type === "object") return objectText(schema, depth);
  return typeof type === "string" ? type : "unknown";
}

function objectText(schema: Schema, depth: number): string {
  const properties = Object.entries(isSchema(schema["properties"]) ? schema["properties"] : {});
  if (properties.length === 0) {
    const values = schema["additionalProperties"];
    return isSchema(values) ? `Record<string, ${schemaText(values, depth + 1)}>` : "{}";
  }
  if (depth >= DEPTH) return "object";
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const indent = "  ".repeat(depth);
  const lines = properties.map(
    ([name, one]) => `${indent}  ${name}${required.includes(name) ? "" : "?"}: ${schemaText(one, depth + 1)};`,
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}
