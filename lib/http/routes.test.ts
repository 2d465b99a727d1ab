import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { BOUND_ROUTES } from "./bound.ts";
import { createDoors } from "./doors.ts";
import type { DoorParts } from "./doors.ts";
import { API_ROUTES, findRoute } from "./routes.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** `METHOD path` of every route handler below app, from the files themselves. */
function handlers(): string[] {
  const files = readdirSync(join(root, "app"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /(^|\/)route\.tsx?$/.test(file))
    .flatMap((file) => {
      const path = `/${relative("", dirname(file))}`.replace(/\/\([^)]*\)/g, "").replace(/\[([^\]]+)\]/g, ":$1");
      const text = readFileSync(join(root, "app", file), "utf8");
      const methods = [...text.matchAll(/^export (?:const|(?:async )?function) ([A-Z]+)\b/gm)].map((match) => match[1]);
      return methods.map((method) => `${method} ${path}`);
    });
}

function classified(door: "next" | "node"): string[] {
  // HEAD is answered by the handler of GET.
  return API_ROUTES.filter((route) => route.door === door).flatMap((route) =>
    route.methods.filter((method) => method !== "HEAD").map((method) => `${method} ${route.path}`),
  );
}

test("every route handler under app is classified, and every classified one is there", () => {
  expect(handlers().sort()).toEqual(classified("next").sort());
});

test("every byte door is classified, and every classified one stands", () => {
  const parts = { slot: { changes: {} } } as unknown as DoorParts;
  expect([...createDoors(parts).keys()].sort()).toEqual(classified("node").sort());
});

test("a route that takes no body has no method that sends one", () => {
  for (const route of API_ROUTES) {
    if (route.body === "none") expect(route.methods).toEqual(["GET", "HEAD"]);
    else expect(route.bodyBytes).toBeGreaterThan(0);
  }
});

test("what is open holds no data: the proof of the endpoint alone", () => {
  expect(API_ROUTES.filter((route) => route.auth === "open").map((route) => route.path)).toEqual(["/api/endpoint"]);
});

test("a path finds its route and its parameters", () => {
  expect(findRoute("/api/sessions/s_1/events/7/raw")).toMatchObject({
    route: { path: "/api/sessions/:id/events/:seq/raw" },
    params: { id: "s_1", seq: "7" },
  });
  expect(findRoute("/api/sources/problems")?.route.path).toBe("/api/sources/problems");
  expect(findRoute("/api/artifacts/art%3A1")?.params).toEqual({ pointer: "art:1" });
  expect(findRoute("/api/sessions/")).toBeNull();
});

test("what a bound token may see is named route by route, and every name is a route", () => {
  const paths = new Set(API_ROUTES.filter((route) => route.auth === "credential").map((route) => route.path));
  expect(Object.keys(BOUND_ROUTES).filter((path) => !paths.has(path))).toEqual([]);
  for (const [path, kind] of Object.entries(BOUND_ROUTES)) {
    if (kind === "session") expect(path).toContain(":id");
    if (kind === "pointer") expect(path).toContain(":pointer");
    if (kind === "free" || kind === "query" || kind === "own") expect(path).not.toMatch(/:(id|pointer)/);
  }
});

test("routes at one path answer different methods", () => {
  const all = API_ROUTES.flatMap((route) => route.methods.map((method) => `${method} ${route.path}`));
  expect(all.length).toBe(new Set(all).size);
  expect(findRoute("/api/sessions/s_1/artifacts", "POST")?.route).toMatchObject({ door: "node", scope: "write" });
  expect(findRoute("/api/sessions/s_1/artifacts", "GET")?.route).toMatchObject({ door: "next", scope: "read" });
});
