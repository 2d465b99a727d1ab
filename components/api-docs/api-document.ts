// The server's OpenAPI document, as far as its page shows it.
import { z } from "zod";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../ui/api.ts";

const schema = z.record(z.string(), z.unknown());
const media = z.record(z.string(), z.object({ schema: schema.optional(), example: z.unknown().optional() }));
const operation = z.object({
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(["path", "query", "header"]),
      required: z.boolean(),
      schema,
      example: z.unknown().optional(),
    }),
  ),
  requestBody: z.object({ content: media }).optional(),
  responses: z.record(z.string(), z.object({ content: media })),
  "x-codeSamples": z.array(z.object({ source: z.string() })).optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

export type Operation = z.infer<typeof operation> & { readonly method: string; readonly path: string };

/** Every operation, in the order of the document. */
export const operationsQuery = queryOptions({
  queryKey: ["openapi"],
  queryFn: async ({ signal }): Promise<readonly Operation[]> => {
    const { paths } = await api("/api/openapi.json", document, { signal });
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ ...one, method: method.toUpperCase(), path })),
    );
  },
  staleTime: Infinity,
});

export const keyOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** Those that have every word of `q` in their method, path or title. */
export function matching(operations: readonly Operation[], q: string): readonly Operation[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((one) => {
    const text = `${keyOf(one)} ${one.summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
