import { expect, test } from "vitest";
import { artifactTitle } from "./artifact-title.ts";

test("a made-up name gives way to what the tool was asked", () => {
  const title = (name: string | null, toolName: string | null, label: string | null) =>
    artifactTitle({ name, toolName, label });
  expect(title("bash-179.txt", "Bash", "Bash cd /reef && git log --stat")).toBe("git log --stat");
  expect(title("grep-55.txt", "Grep", "Grep session.*finish")).toBe("Grep session.*finish");
  expect(title("mcp__linear__list-82.json", "mcp__linear__list", "mcp__linear__list open")).toBe("list open");
  expect(title(null, "Bash", "Bash ls")).toBe("ls");
});

test("a name that says something stays, and one is there in any case", () => {
  expect(artifactTitle({ name: "server.ts", toolName: "Read", label: "Read src/server.ts" })).toBe("server.ts");
  // A file may be called like a made-up name: it is not of this tool.
  expect(artifactTitle({ name: "part-12.txt", toolName: "Read", label: "Read part-12.txt" })).toBe("part-12.txt");
  expect(artifactTitle({ name: "bash-179.txt", toolName: "Bash" })).toBe("bash-179.txt");
  expect(artifactTitle({ name: null, toolName: null, label: null })).toBe("Output of a tool");
});
