import { expect, test } from "vitest";
import { AppError } from "#lib/kernel/errors.ts";
import { failureOf, withQuery } from "./api.ts";
import { staleKeys } from "./live.tsx";

test("what was not chosen is not asked", () => {
  expect(withQuery("/api/sessions", { q: "", badge: null, limit: 100, dir: "asc", artifacts: false })).toBe(
    "/api/sessions?limit=100&dir=asc",
  );
  expect(withQuery("/api/sources", { path: "/a b/ü?" })).toBe("/api/sources?path=%2Fa+b%2F%C3%BC%3F");
});

test("a refusal keeps its code, a bug is called failed", () => {
  expect(failureOf(new AppError("not_found", "No session."))).toEqual({ code: "not_found", message: "No session." });
  expect(failureOf(new Error("odd"))).toEqual({ code: "failed", message: "odd" });
});

test("growth of a session makes its page and the lists old; a running import makes nothing old", () => {
  expect(staleKeys({ type: "session", id: "s_1", events: 3 })).toEqual([
    ["session", "s_1"],
    ["sessions"],
    ["artifacts"],
  ]);
  // What each artifact weighs is worked out when its session is counted.
  expect(staleKeys({ type: "counted", id: "s_1" })).toContainEqual(["artifacts"]);
  const progress = {
    id: "i1",
    state: "running" as const,
    filesDone: 1,
    files: 2,
    bytesDone: 1,
    bytes: 2,
    events: 3,
    current: null,
    reason: null,
  };
  expect(staleKeys({ type: "import", progress })).toEqual([]);
  expect(staleKeys({ type: "import", progress: { ...progress, state: "done" } })).toContainEqual(["sources"]);
  expect(staleKeys({ type: "resync" })).toEqual([[]]);
});
