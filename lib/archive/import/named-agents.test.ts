import { expect, test } from "vitest";
import { FORMATS } from "#lib/formats/index.ts";
import { agentsNamed } from "./named-agents.ts";

const named = (value: string): string[] =>
  FORMATS.flatMap(({ id, label }) => (agentsNamed(value)(id, label) ? [id] : [])).toSorted();

test("an agent is named by its whole name, or by words of it", () => {
  expect(named("pi")).toEqual(["pi"]);
  expect(named("claude")).toEqual(["claude-code", "claude-trace"]);
  expect(named("Claude Code")).toEqual(["claude-code"]);
  expect(named("claude-code")).toEqual(["claude-code"]);
  expect(named("codex")).toEqual(["codex"]);
  expect(named("swe-agent")).toEqual(["swe-agent"]);
  expect(named("agent")).toEqual(["mini-swe-agent", "swe-agent", "trae-agent"]);
  expect(named("cli")).toEqual(["copilot", "gemini", "iflow"]);
  expect(named("open*")).toEqual([
    ...["open-interpreter", "openclaw", "opencode", "opencode-run", "openhands", "openinference", "otlp"],
  ]);
  expect(named("open")).toEqual(["open-interpreter"]);
  for (const nothing of ["opens", "*", "-", "lot"]) expect(named(nothing), nothing).toEqual([]);
});
