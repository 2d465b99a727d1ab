// A view for each kind of tool. A tool of no known kind is shown by the generic one.
import { kindOfTool, type ToolKind } from "#lib/kernel/log/tool-kinds.ts";
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

const VIEWS: { readonly [Kind in ToolKind]: ToolView } = { shell, read, edit, write, search, todo, agent, web };

/** Tools whose input weighs more than what comes back, by a label that begins with their name. */
export const isInputHeavy = (label: string): boolean => {
  const kind = kindOfTool(label.split(" ", 1)[0] ?? "");
  return kind === "edit" || kind === "write" || kind === "todo";
};

export function toolView(name: string): ToolView {
  const kind = kindOfTool(name);
  return kind === null ? generic : VIEWS[kind];
}
