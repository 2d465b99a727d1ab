import { SquareTerminal } from "lucide-react";
import { SafeText } from "../../ui/safe-text.tsx";
import { Output } from "../capped-text.tsx";
import { field } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

/** Six lines: a third of failing test runs say what failed within them. */
const LINES = 6;

export const shell: ToolView = {
  icon: SquareTerminal,
  argument: (input) => commandOf(input).split("\n")[0] ?? "",
  Body: Shell,
};

// Codex gives the command as a list of words, mostly `bash -lc <script>`.
function commandOf(input: unknown): string {
  const words = typeof input === "object" && input !== null ? (input as Record<string, unknown>)["command"] : undefined;
  if (Array.isArray(words) && words.length === 3 && /^(?:.*\/)?(?:ba|z|da)?sh$/u.test(String(words[0])))
    return String(words[2]);
  return field(input, "command", "cmd", "script", "chars", "bash_id", "shell_id", "session_id");
}

function Shell({ call, result, open, toggle }: ToolBodyProps) {
  const command = commandOf(call.body.input);
  const about = field(call.body.input, "description");
  return (
    <>
      {about !== "" && (
        <p className="truncate text-12 text-ink-3">
          <SafeText text={about} />
        </p>
      )}
      {open && command.includes("\n") && (
        <pre className="output mt-1 text-ink">
          <SafeText text={command} badge />
        </pre>
      )}
      {result && <Output event={result} lines={LINES} open={open} toggle={toggle} />}
    </>
  );
}
