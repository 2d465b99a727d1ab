import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENDPOINTS, findRoute } from "./routes.ts";

test("an endpoint that takes no body has no method that sends one", () => {
  for (const { method, takes, bodyBytes } of ENDPOINTS) {
    if (takes === "none") expect(method).toBe("GET");
    else expect(bodyBytes).toBeGreaterThan(0);
  }
});

test("what is open holds no data: that the server runs and is ready, and the proof of the endpoint", () => {
  expect(ENDPOINTS.filter(({ auth }) => auth === "open").map(({ path }) => path)).toEqual([
    "/api/health",
    "/api/endpoint",
    "/api/ready",
  ]);
});

test("a path finds its endpoint and its parameters", () => {
  expect(findRoute("/api/sessions/s_1/events/7/raw")).toMatchObject({
    endpoint: { path: "/api/sessions/:id/events/:seq/raw" },
    params: { id: "s_1", seq: "7" },
  });
  expect(findRoute("/api/sources/problems")?.endpoint.path).toBe("/api/sources/problems");
  expect(findRoute("/api/artifacts/art%3A1")?.params).toEqual({ pointer: "art:1" });
  expect(findRoute("/api/sessions/")).toBeNull();
});

test("what a bound token may see fits the address, and nothing that manages the archive is among it", () => {
  for (const { path, bound, auth, scope } of ENDPOINTS) {
    if (bound !== null) expect([path, auth, scope]).not.toContain("admin");
    if (bound !== null) expect([path, auth]).toEqual([path, "credential"]);
    if (bound === "session") expect(path).toContain(":id");
    if (bound === "pointer") expect(path).toContain(":pointer");
    if (bound === "free" || bound === "query" || bound === "own") expect(path).not.toMatch(/:(id|pointer)/);
  }
});

test("endpoints at one path answer different methods, and a parameter is checked wherever it stands", () => {
  const all = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
  expect(all.length).toBe(new Set(all).size);
  for (const { path, schemas } of ENDPOINTS)
    expect([path, schemas.params !== undefined]).toEqual([path, path.includes(":")]);
  const found = findRoute("/api/sessions/s_1/artifacts", "POST");
  expect(found).toMatchObject({
    endpoint: { takes: "content", scope: "write" },
    methods: ["GET", "HEAD", "DELETE", "POST"],
  });
  expect(findRoute("/api/sessions/s_1/artifacts", "HEAD")?.endpoint).toMatchObject({ method: "GET", scope: "read" });
});

test("what the pages, the client and the command line ask has an endpoint", () => {
  const root = join(import.meta.dirname, "..", "..");
  const request = ["app", "components", "lib/client", "bin"].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|testing/.test(file))
      .flatMap((file) => [...readFileSync(join(root, top, file), "utf8").matchAll(/["`](\/api\/[^"`?\s]*)/g)])
      .map((match) => match[1]!.replaceAll(/\$\{[^}]*\}/g, "x")),
  );
  expect(request.length).toBeGreaterThan(50);
  // What ends in a part that is filled in is a beginning of addresses.
  const known = (path: string): boolean =>
    findRoute(path) !== null ||
    ENDPOINTS.some((one) => one.path.replaceAll(/:\w+/g, "x").startsWith(path.replace(/x$/, "")));
  expect(request.filter((path) => !known(path))).toEqual([]);
});
