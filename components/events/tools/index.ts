// Tools by name, across agents. A name that is not here is shown by the generic view.
import { agent } from "./agent.tsx";
import { edit } from "./edit.tsx";
import { generic } from "./generic.tsx";
import { read } from "./read.tsx";
import { search } from "./search.tsx";
import { shell } from "./shell-call.tsx";
import { todo } from "./todo.tsx";
import type { ToolView } from "./tool-view.ts";
import { web } from "./web.tsx";
import { write } from "./write.tsx";

const NAMES: readonly (readonly [ToolView, readonly string[]])[] = [
  [
    shell,
    [
      "bash",
      "bashoutput",
      "killshell",
      "killbash",
      "powershell",
      "shell",
      "shell_command",
      "local_shell",
      "exec_command",
      "exec",
      "container.exec",
      "write_stdin",
      "unified_exec",
      "run_shell_command",
      "run_terminal_cmd",
    ],
  ],
  [read, ["read", "read_file", "view", "view_image", "notebookread", "readmcpresource"]],
  [
    edit,
    [
      "edit",
      "multiedit",
      "notebookedit",
      "apply_patch",
      "str_replace",
      "str_replace_editor",
      "str_replace_based_edit_tool",
      "replace",
    ],
  ],
  [write, ["write", "write_file", "create_file"]],
  [
    search,
    ["grep", "glob", "ls", "list_dir", "grep_files", "search", "search_files", "toolsearch", "tool_search", "lsp"],
  ],
  [todo, ["todowrite", "todoread", "update_plan", "taskcreate", "taskupdate", "tasklist"]],
  [agent, ["task", "agent", "spawn_agent", "wait_agent", "send_input", "taskoutput", "agentoutputtool"]],
  [web, ["webfetch", "websearch", "web_search", "web_search_call", "web_fetch", "open_page"]],
];

const BY_NAME = new Map(NAMES.flatMap(([view, names]) => names.map((name) => [name, view] as const)));

/** A label in few words: a command without its tool's name and without the folder it ran in. */
export function briefLabel(label: string): string {
  const [name = "", ...rest] = label.split(" ");
  if (BY_NAME.get(name.toLowerCase()) !== shell || rest.length === 0) return label;
  const command = rest.join(" ").replace(/^(?:cd \S+ (?:&&|;) )+/u, "");
  return command === "" ? label : command;
}

/** Tools whose input weighs more than what comes back, by a label that begins with their name. */
export const isInputHeavy = (label: string): boolean => {
  const view = BY_NAME.get((label.split(" ", 1)[0] ?? "").toLowerCase());
  return view === edit || view === write || view === todo;
};

export const toolView = (name: string): ToolView => BY_NAME.get(name.toLowerCase()) ?? generic;
