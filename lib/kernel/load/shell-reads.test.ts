import fc from "fast-check";
import { expect, test } from "vitest";
import { shellRead } from "./shell-reads.ts";

test.each([
  ["sed -n '1,240p' docs/tides.md", { path: "docs/tides.md", start: 1, lines: 240 }],
  ["cd harbour && sed -n '40,80p' src/berth.ts | head", { path: "src/berth.ts", start: 40, lines: 41 }],
  ["sed -n 12p 'a file.txt'", { path: "a file.txt", start: 12, lines: 1 }],
  ["cat src/berth.ts", { path: "src/berth.ts", start: 1, lines: null }],
  ["nl -ba src/berth.ts | sed -n '1,20p'", { path: "src/berth.ts", start: 1, lines: null }],
  ["head -n 30 log.txt", { path: "log.txt", start: 1, lines: 30 }],
  ["head -5 log.txt", { path: "log.txt", start: 1, lines: 5 }],
])("%s reads a file", (command, read) => {
  expect(shellRead(command)).toEqual(read);
});

test.each(["ls -la", "git status", "cat <<'EOF' > x", "cat - | wc", "echo concatenate words", "go test ./..."])(
  "%s reads none that is known",
  (command) => {
    expect(shellRead(command)).toBeNull();
  },
);

test("any command is looked at without harm", () => {
  fc.assert(fc.property(fc.string({ maxLength: 5000 }), (command) => (shellRead(command)?.path ?? "x").length > 0));
});
