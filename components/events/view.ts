// What an event's view is given. The registry in index.ts has one view for each type of the log.
import type { ComponentType } from "react";
import { holdsMore } from "#lib/kernel/artifacts/holds-more.ts";
import type { EventBody, EventType } from "#lib/kernel/event.ts";
import type { Category, Origin } from "#lib/wire/common-schema.ts";
import type { EventView } from "#lib/wire/events-schema.ts";

export type EventOf<T extends EventType> = EventView & { readonly body: Extract<EventBody, { type: T }> };

export type ViewProps<T extends EventType> = {
  readonly event: EventOf<T>;
  /** The result of a tool call, when it has come. */
  readonly result: EventOf<"tool_result"> | null;
  /** Folded text is shown, capped text whole. */
  readonly open: boolean;
  readonly toggle: () => void;
};

export type Viewer<T extends EventType> = ComponentType<ViewProps<T>>;

export const isType = <T extends EventType>(event: EventView, type: T): event is EventOf<T> => event.body.type === type;

/** The colour of an event's bar. A call and its result take that of the heavier half. */
export function barCategory(event: EventView | null, result: EventView | null, type: string): Category | null {
  if (type === "tool_call" || type === "tool_result")
    return event && result && (event.tokens ?? 0) > (result.tokens ?? 0) ? "call" : "result";
  if (type === "user" || type === "assistant" || type === "reasoning") return type;
  // What stands in place of cleared results weighs as they did.
  if (event !== null && isType(event, "compaction") && event.body.kind === "micro") return "result";
  return type === "compaction" || type === "rewind" ? "memory" : type === "system" ? "prefix" : null;
}

/** What a result that the model saw only in part would have weighed whole, as far as anyone says. */
export function wholeTokens(event: EventView | null): { tokens: number; origin: Origin } | null {
  if (!event || event.saw !== "preview" || !isType(event, "tool_result")) return null;
  const said = event.body.detail?.originalTokens;
  if (said !== undefined) return { tokens: said, origin: "estimated" };
  return event.stored?.tokens == null || !hasMoreStored(event)
    ? null
    : { tokens: event.stored.tokens, origin: event.stored.origin ?? "estimated" };
}

/** More is stored than the model saw. */
export const hasMoreStored = (event: EventView): boolean =>
  event.stored !== null && holdsMore(event.stored.sizeBytes, event.bytes);

/** A field of a tool's input as text; what is not there is empty. */
export function field(input: unknown, ...names: string[]): string {
  if (typeof input === "string") return names.length === 0 ? input : "";
  if (typeof input !== "object" || input === null) return "";
  for (const name of names) {
    const value = (input as Record<string, unknown>)[name];
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
      return value.join(" ");
  }
  return "";
}

export function listField(input: unknown, name: string): Record<string, unknown>[] {
  const value = typeof input === "object" && input !== null ? (input as Record<string, unknown>)[name] : undefined;
  return Array.isArray(value)
    ? value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null)
    : [];
}
