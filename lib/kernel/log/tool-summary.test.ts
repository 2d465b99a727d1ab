import fc from "fast-check";
import { expect, test } from "vitest";
import { briefLabel, toolSummary } from "./tool-summary.ts";

test("each kind of tool is named by what it was asked", () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["Bash", { command: "cd /home/ada/harbour && npm test\nnpm run build" }, "npm test npm run build"],
    ["shell", { command: ["bash", "-lc", "git log -3"] }, "git log -3"],
    ["shell", { command: ["git", "log"] }, "git log"],
    ["BashOutput", { bash_id: "bash_1" }, "session bash_1"],
    ["write_stdin", { session_id: 43225, chars: "" }, "session 43225"],
    ["write_stdin", { session_id: 43225, chars: "y\n" }, "y\\n"],
    ["Read", { file_path: "/a/b/tides.txt", offset: 10, limit: 5 }, "/a/b/tides.txt from line 10, 5 lines"],
    ["Grep", { pattern: "ebb", path: "/a/b/charts" }, "ebb in /a/b/charts"],
    ["Glob", { path: "/a/b" }, "/a/b"],
    [
      "TodoWrite",
      {
        todos: [
          { content: "Sound", status: "completed" },
          { content: "Sail", status: "in_progress" },
        ],
      },
      "1 of 2 done: Sail",
    ],
    ["TaskUpdate", { taskId: "1", status: "in_progress" }, "#1 in_progress"],
    ["spawn_agent", { agent_type: "explorer", message: "Look\naround" }, "Look around"],
    ["web_search", { action: { type: "search", query: "tides" } }, "tides"],
    ["apply_patch", "*** Begin Patch\n*** Update File: a/b.ts\n@@\n*** Add File: c.ts\n+x", "a/b.ts, c.ts"],
    [
      "apply_patch",
      { patch: "*** Begin Patch\n*** Delete File: a\n*** Add File: b\n*** Add File: c\n" },
      "a and 2 more files",
    ],
    ["mcp__browser__javascript_tool", { action: "exec", tabId: "seed", text: "const x = 1" }, "const x = 1"],
    ["mcp__browser__computer", { action: "screenshot", tabId: "seed" }, "action: screenshot, tabId: seed"],
    [
      "AskUserQuestion",
      { questions: [{ question: "Which padding?" }, { question: "And why?" }] },
      "Which padding? and 1 more",
    ],
    ["SendMessage", { to: "af93", summary: "Add an angle" }, "Add an angle"],
    ["EnterPlanMode", {}, ""],
    ["Read", null, ""],
  ];
  for (const [tool, input, words] of cases) expect([tool, toolSummary(tool, input)]).toEqual([tool, words]);
});

test("where there is little room a path is its last two parts", () => {
  const short = (tool: string, input: unknown) => toolSummary(tool, input, { shortPaths: true });
  expect(short("Read", { file_path: "C:\\a\\b\\c.ts" })).toBe("b/c.ts");
  expect(short("Grep", { pattern: "ebb", path: "/a/b/c" })).toBe("ebb in b/c");
  expect(short("Edit", { file_path: "/a/b/c.ts" })).toBe("b/c.ts");
});

test("a label in few words keeps no shell and no server", () => {
  expect(briefLabel("Bash npm test")).toBe("npm test");
  expect(briefLabel("exec_command cd /a && ls")).toBe("ls");
  expect(briefLabel("Bash")).toBe("Bash");
  expect(briefLabel("Read b/c.ts")).toBe("Read b/c.ts");
  expect(briefLabel("mcp__Claude_Browser__find Add to Studio")).toBe("find Add to Studio");
  expect(briefLabel("mcp__x__y")).toBe("y");
});

test("an input that has anything to say is never shown as nothing, and none breaks the line", () => {
  const names = fc.oneof(fc.constantFrom("Bash", "Read", "Grep", "TodoWrite", "Task", "mcp__x__y"), fc.string());
  const keys = fc.oneof(fc.constantFrom("__proto__", "constructor", "command", "path", "todos", "chars"), fc.string());
  fc.assert(
    fc.property(names, fc.oneof(fc.anything(), fc.object({ key: keys })), (name, input) => {
      const words = toolSummary(name, input);
      expect(words.length).toBeLessThanOrEqual(400);
      expect(words).not.toMatch(/[\n\r]/);
    }),
  );
  fc.assert(
    fc.property(names, fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-z]{1,20}$/), (name, key, value) => {
      expect(toolSummary(name, { [key]: value })).not.toBe("");
    }),
  );
});
