// The table of endpoints as an OpenAPI 3.1 document: schemas as zod itself tells them in JSON Schema 2020-12, which 3.1 takes as they are.
import type { z } from "zod";
import { problemAnswer } from "#lib/wire/common-schema.ts";
import type { Endpoint } from "./endpoint.ts";
import { exampleCurl, exampleOf } from "./examples/all-examples.ts";
import type { Example } from "./examples/example.ts";
import { jsonSchema, propertiesOf } from "./json-schema.ts";

type Schema = Readonly<Record<string, unknown>>;

export function openApi(endpoints: readonly Endpoint[]): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operationOf(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Plimsoll", version: "1" },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: { Error: jsonSchema(problemAnswer, "output") },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "Made by plimsoll token create." },
        browser: { type: "apiKey", in: "cookie", name: "plimsoll_PORT", description: "A browser that was signed in." },
        commandLine: { type: "http", scheme: "bearer", description: "The token of endpoint.json." },
      },
    },
  };
}

const SECURITY: Readonly<Record<Endpoint["auth"], readonly Schema[]>> = {
  open: [],
  browser: [{ browser: [] }],
  human: [{ browser: [] }],
  bearer: [{ commandLine: [] }],
  credential: [{ token: [] }, { browser: [] }],
};

function operationOf(endpoint: Endpoint): Schema {
  const { method, auth, scope, path, takes, schemas } = endpoint;
  const { params, query, body, answer } = schemas;
  const example = exampleOf(endpoint);
  const curl = exampleCurl(endpoint, example);
  const ok = answer === undefined ? bytes : { "application/json": { schema: jsonSchema(answer, "output") } };
  const failed = { "application/problem+json": { schema: { $ref: "#/components/schemas/Error" } } };
  return {
    tags: [tagOf(path)],
    summary: example.title,
    description: `Scope ${scope}.`,
    security: SECURITY[auth],
    parameters: [
      ...parametersOf(params, "path", example.params),
      ...parametersOf(query, "query", example.query),
      ...(method !== "GET" && answer !== undefined ? [idempotencyKey] : []),
    ],
    ...((takes === "bytes" || takes === "content") && {
      requestBody: { required: true, content: { [example.content!.type]: { example: example.content!.text } } },
    }),
    ...(takes === "json" &&
      (body !== undefined || example.accept !== undefined) && {
        requestBody: {
          content: {
            "application/json": { ...(body && { schema: jsonSchema(body, "input") }), example: example.body },
          },
        },
      }),
    ...(curl !== null && { "x-codeSamples": [{ lang: "Shell", label: "curl", source: curl }] }),
    responses: {
      "2XX": { description: "As asked.", content: ok },
      default: { description: "A refusal, with its reason.", content: failed },
    },
  };
}

/** `/api/sessions/…` belongs to sessions, `/v1/…` and `/mcp` to agents' protocols. */
function tagOf(path: string): string {
  const [, first = "", second = ""] = path.split("/");
  return first === "api" ? (TAGS[second] ?? "server") : "protocols";
}

const TAGS: Readonly<Record<string, string>> = {
  sessions: "sessions",
  compactions: "sessions",
  status: "sessions",
  artifacts: "artifacts",
  playground: "playground",
  tools: "tools",
  sources: "sources",
  imports: "sources",
  upload: "sources",
  demo: "sources",
  attached: "sources",
  settings: "settings",
  retention: "settings",
  tokens: "tokens",
  commands: "commands",
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Sent again with the same key within 24 hours, the request is answered again and not carried out again.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const bytes = { "application/octet-stream": {} };

function parametersOf(
  schema: z.ZodType | undefined,
  where: "path" | "query",
  example: Example["params"] = {},
): Schema[] {
  if (schema === undefined) return [];
  const { properties, required } = propertiesOf(schema);
  return Object.entries(properties).map(([name, one]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: one,
    ...(example[name] !== undefined && { example: example[name] }),
  }));
}
