// One view for each type of event. A new type does not compile without one.
import type { EventType } from "#lib/kernel/event.ts";
import { AssistantEvent } from "./assistant.tsx";
import { CompactionEvent } from "./compaction.tsx";
import { RewindEvent } from "./rewind-event.tsx";
import { ErrorEvent } from "./error-event.tsx";
import { MetaEvent, ReasoningEvent, SystemEvent, UnknownEvent } from "./folded-events.tsx";
import { ToolCallEvent } from "./tool-call.tsx";
import { ToolResultEvent } from "./tool-result.tsx";
import { UserEvent } from "./user.tsx";
import type { Viewer } from "./view.ts";

export const EVENT_VIEWS: { readonly [Type in EventType]: Viewer<Type> } = {
  user: UserEvent,
  assistant: AssistantEvent,
  reasoning: ReasoningEvent,
  tool_call: ToolCallEvent,
  tool_result: ToolResultEvent,
  system: SystemEvent,
  compaction: CompactionEvent,
  rewind: RewindEvent,
  error: ErrorEvent,
  meta: MetaEvent,
  unknown: UnknownEvent,
};
