// The pages of docs/agents show what `plimsoll hook install` writes, to the letter.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HOOK_AGENTS } from "./hook-agents.ts";
import { withEdits } from "./settings-edits.ts";

const PROGRAM = "ARCHIVE/hooks/bin-hook-agent-hook.cjs";

test.each(HOOK_AGENTS)("$name: its page has the change to $file", ({ id, page, file, edits }) => {
  const words = ["NODE", PROGRAM, id, "ARCHIVE"];
  const text = readFileSync(join(import.meta.dirname, "../../docs/agents", page), "utf8");
  expect(text).toContain(
    withEdits(null, edits({ shell: words.join(" "), words, cli: "npx plimsoll", statusLine: "" }), file),
  );
  expect(text).toContain(`npx plimsoll hook install ${id} `);
});
