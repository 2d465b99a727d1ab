// Tools by name, across agents: one list for their views, their labels and their filters.

export type ToolKind = "shell" | "read" | "edit" | "write" | "search" | "todo" | "agent" | "web";

const NAMES: { readonly [Kind in ToolKind]: readonly string[] } = {
  shell: [
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
  read: ["read", "read_file", "view", "view_image", "notebookread", "readmcpresource"],
  edit: [
    "edit",
    "multiedit",
    "notebookedit",
    "apply_patch",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "replace",
  ],
  write: ["write", "write_file", "create_file"],
  search: [
    "grep",
    "glob",
    "ls",
    "list_dir",
    "grep_files",
    "search",
    "search_files",
    "toolsearch",
    "tool_search",
    "lsp",
  ],
  todo: ["todowrite", "todoread", "update_plan", "taskcreate", "taskupdate", "tasklist"],
  agent: ["task", "agent", "spawn_agent", "wait_agent", "send_input", "taskoutput", "agentoutputtool"],
  web: ["webfetch", "websearch", "web_search", "web_search_call", "web_fetch", "open_page"],
};

const KIND_OF = new Map(
  (Object.keys(NAMES) as ToolKind[]).flatMap((kind) => NAMES[kind].map((name) => [name, kind] as const)),
);

/** Null for a tool that no list knows. */
export const kindOfTool = (name: string): ToolKind | null => KIND_OF.get(name.toLowerCase()) ?? null;

const STARTERS: ReadonlySet<string> = new Set(["task", "agent", "spawn_agent"]);

/** True for a tool that starts a sub-agent; those that wait for one or write to it do not. */
export const startsAgent = (name: string): boolean => STARTERS.has(name.toLowerCase());
