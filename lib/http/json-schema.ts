// Schemas of requests and answers as JSON Schema: what the OpenAPI document says, and the names that a query may have.
import { z } from "zod";

type Schema = Readonly<Record<string, unknown>>;

export function jsonSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  // What JSON Schema has no word for is anything.
  const { $schema: _, ...result } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return result;
}

/** The properties of an object. One whose input is prepared first is known by what comes of it. */
export function propertiesOf(schema: z.ZodType): {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
} {
  const given = jsonSchema(schema, "input");
  const result = given["properties"] === undefined ? jsonSchema(schema, "output") : given;
  return {
    properties: (result["properties"] ?? {}) as Record<string, Schema>,
    required: (given["required"] ?? []) as readonly string[],
  };
}
