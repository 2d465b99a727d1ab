import { SquareTerminal } from "lucide-react";
import { commandIn, isFields } from "#lib/kernel/load/call-input.ts";
import { toolSummary } from "#lib/kernel/log/tool-summary.ts";
import { SafeText } from "../../ui/safe-text.tsx";
import { Output } from "../capped-text.tsx";
import { field } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

/** Six lines: a third of failing test runs say what failed within them. */
const LINES = 6;

export const shell: ToolView = {
  icon: SquareTerminal,
  Body: Shell,
};

function Shell({ call, result, open, toggle }: ToolBodyProps) {
  const { input } = call.body;
  const command = typeof input === "string" ? input : isFields(input) ? (commandIn(input) ?? "") : "";
  const about = field(input, "description");
  return (
    <>
      {about !== "" && (
        <p className="truncate text-12 text-ink-3">
          <SafeText text={about} />
        </p>
      )}
      {open && command !== toolSummary(call.body.toolName, input) && command !== "" && (
        <pre className="output mt-1 text-ink">
          <SafeText text={command} badge />
        </pre>
      )}
      {result && <Output event={result} lines={LINES} open={open} toggle={toggle} />}
    </>
  );
}
