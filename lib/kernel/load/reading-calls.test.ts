import fc from "fast-check";
import { expect, test } from "vitest";
import { fileReadBy, readingOf } from "./reading-calls.ts";

const shell = (command: string) => readingOf("Bash", { command }, command);

test.each([
  "cat src/berth.ts",
  "cd harbour && sed -n '40,80p' src/berth.ts | head",
  "nl -ba src/berth.ts | sed -n '1,20p'",
  'rg -n "a > b|c" src 2>/dev/null',
  "grep -n berth src/*.ts | head -20; echo ---; tail -5 log.txt",
  "git show HEAD~1:src/berth.ts",
])("%s only shows lines", (command) => expect(shell(command)).toBe("lines"));

test.each(["rg --files src", "grep -rl berth src", "rg -c berth src", "rg --count-matches berth"])(
  "%s shows names or counts",
  (command) => expect(shell(command)).toBe("bytes"),
);

test.each([
  "npm test",
  "cat src/berth.ts && npm test",
  "sed -i s/a/b/ src/berth.ts",
  "cat > src/berth.ts <<'EOF'",
  "cat $(git ls-files)",
  "git status",
  "git diff",
  "ls -la",
  "echo cat",
  "",
])("%s is no reading", (command) => expect(shell(command)).toBeNull());

test("the agents' own tools are told by name; a search reads lines where it shows them", () => {
  expect(readingOf("Read", {}, null)).toBe("lines");
  expect(readingOf("read_file", {}, null)).toBe("lines");
  expect(readingOf("Grep", { output_mode: "content" }, null)).toBe("lines");
  expect(readingOf("Grep", { output_mode: "count" }, null)).toBe("bytes");
  expect(readingOf("Grep", {}, null)).toBe("bytes");
  expect(readingOf("Glob", {}, null)).toBe("bytes");
  expect(readingOf("Edit", {}, null)).toBeNull();
  expect(readingOf("Task", {}, null)).toBeNull();
});

test("the file of a command, where it is one", () => {
  expect(fileReadBy("nl -ba src/berth.ts | sed -n '1,20p'")).toBe("src/berth.ts");
  expect(fileReadBy("sed -n '1,9p' a.ts && sed -n '20,29p' a.ts")).toBe("a.ts");
  expect(fileReadBy("sed -n '1,9p' a.ts && sed -n '1,9p' b.ts")).toBeNull();
  expect(fileReadBy("rg todo src")).toBeNull();
});

test("any command is looked at without harm", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 5000 }), (command) => {
      expect([null, "lines", "bytes"]).toContain(shell(command));
      fileReadBy(command);
    }),
  );
});
