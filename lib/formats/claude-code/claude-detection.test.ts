import { describe, expect, test } from "vitest";
import { claudeCode } from "../claude-code.ts";
import { bytesOf, fileOf, idOf, jsonl, prompt, SESSION, type Rec } from "./testing-claude.ts";

/** A record of Qwen Code's chats, which begin as Claude Code's do. */
const qwen = (role: "user" | "model", said: string): Rec => ({
  uuid: idOf(said.slice(0, 9)),
  parentUuid: null,
  sessionId: SESSION,
  timestamp: "2026-01-05T09:00:00.000Z",
  type: role === "user" ? "user" : "assistant",
  cwd: "/home/ada/harbour",
  version: "0.24.4",
  gitBranch: "tides",
  ...(role === "user" ? { provenance: "real_user" } : { model: "m1" }),
  message: { role, parts: [{ text: said }] },
});

describe("detection", () => {
  const detects = (file: string | Uint8Array): boolean => claudeCode.detect(fileOf("/x.jsonl", bytesOf(file)));
  test.each([
    ["a transcript", jsonl(prompt("1", 1, "x")), true],
    ["one that begins with a summary", jsonl({ type: "summary", summary: "s", leafUuid: idOf("1") }), true],
    [
      "one that begins with a queue operation",
      jsonl({ type: "queue-operation", operation: "enqueue", sessionId: SESSION }),
      true,
    ],
    ["one behind a broken first line", `{"type":"us\n${jsonl(prompt("1", 1, "x"))}`, true],
    ["one whose first line is longer than what is looked at", jsonl(prompt("1", 1, "x".repeat(100_000))), true],
    ["an empty file", "", false],
    ["prompt history", jsonl({ display: "x", timestamp: 1, project: "/p" }), false],
    ["the SDK's stream", jsonl({ type: "system", subtype: "init", session_id: "x" }), false],
    [
      "a Codex rollout",
      jsonl({ timestamp: "2026-01-01T00:00:00Z", type: "session_meta", payload: { id: "x" } }),
      false,
    ],
    ["a chat of Qwen Code", jsonl(qwen("user", "x"), qwen("model", "y")), false],
    ["one whose first line is longer than what is looked at", jsonl(qwen("user", "x".repeat(100_000))), false],
    ["a log of another kind", jsonl({ level: "info", msg: "x" }, 7, null, "x", []), false],
  ])("%s", (_, file, is) => expect(detects(file)).toBe(is));

  test("the journal and the prompt history are not wanted, transcripts and agents are", () => {
    const wanted = ["a.jsonl", "x/agent-1.jsonl", "journal.jsonl", "history.jsonl", "a.json", "a.meta.json"];
    expect(wanted.filter((path) => claudeCode.wants(path))).toEqual(["a.jsonl", "x/agent-1.jsonl"]);
    expect(claudeCode.sources({ CLAUDE_CONFIG_DIR: "/c" }, "linux")).toEqual(["/c/projects"]);
  });

  test("folders in the home folder and the settings of programs, and those of Claude Desktop on each system", () => {
    expect(claudeCode.sources({ HOME: "/home/ada" }, "linux")).toEqual([
      "/home/ada/.claude/projects",
      "/home/ada/.config/claude*/projects",
      "/home/ada/.config/Claude*/local-agent-mode-sessions",
    ]);
    expect(claudeCode.sources({ HOME: "/Users/ada" }, "darwin").at(-1)).toBe(
      "/Users/ada/Library/Application Support/Claude*/local-agent-mode-sessions",
    );
    expect(claudeCode.sources({ USERPROFILE: "C:\\Users\\ada", APPDATA: "C:\\Data" }, "win32")).toEqual([
      "C:\\Users\\ada\\.claude\\projects",
      "C:\\Users\\ada\\.config\\claude*\\projects",
      "C:\\Data\\Claude*\\local-agent-mode-sessions",
    ]);
  });
});
