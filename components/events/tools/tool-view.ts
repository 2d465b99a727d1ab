import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import type { EventOf } from "../view.ts";

export type ToolBodyProps = {
  call: EventOf<"tool_call">;
  result: EventOf<"tool_result"> | null;
  open: boolean;
  toggle: () => void;
};

/** How one kind of tool is shown: its icon, and what stands under the head. */
export type ToolView = {
  readonly icon: LucideIcon;
  readonly Body: ComponentType<ToolBodyProps>;
};
