import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { problemAnswer } from "#lib/wire/common-schema.ts";
import { openApi } from "./openapi.ts";
import { ENDPOINTS } from "./routes.ts";
import { withDoors } from "./testing-http.ts";

type Operation = {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly "x-codeSamples"?: readonly { readonly source: string }[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: object;
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
};

const document = JSON.parse(JSON.stringify(openApi(ENDPOINTS))) as {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

test("every endpoint stands in the document, with its parameters, its body and its answer", () => {
  expect(document.openapi).toBe("3.1.0");
  const result = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
  );
  expect(result.sort()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
  for (const { method, path, schemas, takes } of ENDPOINTS) {
    const operation = document.paths[path.replace(/:(\w+)/g, "{$1}")]![method.toLowerCase()]!;
    const inPath = operation.parameters.filter((one) => one.in === "path").map(({ name }) => name);
    expect([path, inPath]).toEqual([path, [...path.matchAll(/:(\w+)/g)].map((match) => match[1])]);
    const queries = operation.parameters.filter((one) => one.in === "query");
    expect([path, queries.length > 0]).toEqual([path, schemas.query !== undefined]);
    const hasBody = schemas.body !== undefined || takes === "bytes" || takes === "content" || path === "/mcp";
    expect([path, operation.requestBody !== undefined]).toEqual([path, hasBody]);
    const ok = operation.responses["2XX"]!.content["application/json"]?.schema;
    expect([path, ok !== undefined]).toEqual([path, schemas.answer !== undefined]);
  }
});

test("every operation has a title, a group and its example; a shell reads the example as it is sent", () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.filter(({ tags, summary }) => tags.length !== 1 || summary === "")).toEqual([]);
  const store = document.paths["/api/sessions/{id}/outputs"]!["post"]!;
  const fake = 'curl() { for one in "$@"; do printf \'%s\\0\' "$one"; done; }; ';
  const result = execFileSync("sh", ["-c", fake + store["x-codeSamples"]![0]!.source], {
    encoding: "utf8",
    env: { ...process.env, PLIMSOLL_URL: "http://127.0.0.1:4567", PLIMSOLL_TOKEN: "t" },
  });
  expect(result.split("\0").slice(0, -1)).toEqual([
    "-X",
    "POST",
    "http://127.0.0.1:4567/api/sessions/plimsoll%3Aharbour/outputs?tool=bash&call=c2&input=%7B%22command%22%3A%22ls+piers%22%7D",
    "-H",
    "Authorization: Bearer t",
    "-H",
    "Content-Type: text/plain",
    "--data-binary",
    "pier-1\npier-2\n",
  ]);
});

test("a parameter that must be given is told from one that may", () => {
  const { parameters } = document.paths["/api/sessions/{id}/recall"]!["get"]!;
  expect(Object.fromEntries(parameters.map(({ name, required }) => [name, required]))).toEqual({
    id: true,
    query: true,
    at: false,
    k: false,
    maxChars: false,
  });
});

test("every reference leads somewhere in the document", () => {
  const text = JSON.stringify(document);
  for (const [, ref] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = ref!
      .split("/")
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    expect(found, ref).toBeDefined();
  }
});

test("a refusal is problem details, in the document and over HTTP, with the fields of before", async () => {
  const { responses } = document.paths["/api/sessions/{id}"]!["get"]!;
  expect(Object.keys(responses["default"]!.content)).toEqual(["application/problem+json"]);
  await inFolder((dir) =>
    withArchive(dir, (archive) =>
      withDoors(archive, async (server) => {
        const refusals = [
          ["/api/sessions/s_0000000000000000", 404, "not_found"],
          ["/api/sessions?limit=many", 400, "invalid"],
          ["/api/nothing", 404, "not_found"],
        ] as const;
        for (const [path, status, code] of refusals) {
          const response = await server.ask("GET", path);
          expect(response.headers.get("content-type")).toBe("application/problem+json");
          const problem = problemAnswer.parse(await response.json());
          expect(problem).toMatchObject({
            type: `urn:plimsoll:problem:${code}`,
            status,
            detail: problem.error.message,
          });
          expect(problem.error.code).toBe(code);
        }
      }),
    ),
  );
});
