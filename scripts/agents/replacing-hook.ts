// A hook of Claude Code: adds a line when a session starts, and replaces what Bash wrote. Its input is on standard input.
import { text } from "node:stream/consumers";

type Input = { readonly hook_event_name: string; readonly tool_name?: string; readonly tool_response?: object };

const { hook_event_name: hookEventName, tool_name, tool_response } = JSON.parse(await text(process.stdin)) as Input;
const output: Record<string, unknown> = {};
if (hookEventName === "SessionStart") output["additionalContext"] = "Said by the session's hook.";
if (hookEventName === "PostToolUse" && tool_name === "Bash")
  output["updatedToolOutput"] = { ...tool_response, stdout: "Replaced by a hook." };
const hasOutput = Object.keys(output).length > 0;
console.log(JSON.stringify(hasOutput ? { hookSpecificOutput: { hookEventName, ...output } } : {}));
