import { expect, test } from "vitest";
import { injectedAs, tagOf, titleOf } from "./injected.ts";

test.each([
  ["<environment_context>x</environment_context>", "environment_context"],
  ["<subagent_notification>\n{}\n</subagent_notification>", "subagent_notification"],
  ["<skill>\n<name>tides</name>\n</skill>", "skill"],
  ["\n<brand_new_notice>\nx\n</brand_new_notice>\n", "brand_new_notice"],
  ["# AGENTS.md instructions for /a", "agents_md"],
  ["Another language model started to solve this problem and …", "summary"],
  ["<div>Why is this red?</div>", null],
  ["<brand_new_notice> is what I saw", null],
  ["", null],
])("%j is injected as %j", (text, name) => {
  expect(injectedAs(text)).toBe(name);
});

test("a developer's text is named by its tag", () => {
  expect(tagOf("<permissions instructions>\nx")).toBe("permissions_instructions");
  expect(tagOf("Be brief.")).toBeNull();
});

test("a title is the first line of what was asked", () => {
  expect(titleOf("\n  Fix it\nplease")).toBe("Fix it");
  expect(titleOf("# Context from my IDE setup:\n## Open tabs\n- a.ts\n\n## My request for Codex:\nFix it\n")).toBe(
    "Fix it",
  );
  expect(titleOf(" \n ")).toBeNull();
});
