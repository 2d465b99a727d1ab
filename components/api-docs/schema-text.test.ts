import { expect, test } from "vitest";
import { z } from "zod";
import { schemaText } from "./schema-text.ts";

test("a schema is written as the type that it is", () => {
  const schema = z.object({
    id: z.string(),
    size: z.number().int().optional(),
    kind: z.enum(["jq", "grep"]).nullable(),
    rows: z.array(z.object({ at: z.number(), tags: z.array(z.union([z.string(), z.boolean()])) })),
    by: z.record(z.string(), z.boolean()),
    any: z.unknown(),
    done: z.literal(true),
  });
  expect(schemaText(z.toJSONSchema(schema))).toBe(
    [
      "{",
      "  id: string;",
      "  size?: number;",
      '  kind: "jq" | "grep" | null;',
      "  rows: {",
      "    at: number;",
      "    tags: Array<string | boolean>;",
      "  }[];",
      "  by: Record<string, boolean>;",
      "  any: unknown;",
      "  done: true;",
      "}",
    ].join("\n"),
  );
});
