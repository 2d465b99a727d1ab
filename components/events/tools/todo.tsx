import { ListTodo } from "lucide-react";
import { SafeText } from "../../ui/safe-text.tsx";
import { Output } from "../capped-text.tsx";
import { field, listField } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";

export const todo: ToolView = {
  icon: ListTodo,
  Body: Todo,
};

const GLYPH: Record<string, string> = { completed: "■", in_progress: "◧", pending: "□", cancelled: "⊠" };
const WORD: Record<string, string> = {
  completed: "done",
  in_progress: "in progress",
  pending: "to do",
  cancelled: "dropped",
};

function Todo({ call, result, open, toggle }: ToolBodyProps) {
  const items = itemsOf(call.body.input);
  return (
    <>
      <ul className="mt-1">
        {items.map((item, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- the items of one call never move
          <li key={i} className="flex gap-2">
            <span className="text-ink-3" title={WORD[item.state] ?? shownText(item.state)}>
              <span aria-hidden="true">{GLYPH[item.state] ?? "□"}</span>
              <span className="sr-only">{WORD[item.state] ?? shownText(item.state)}</span>
            </span>
            <span
              className={item.state === "in_progress" ? "font-medium" : item.state === "completed" ? "text-ink-3" : ""}
            >
              <SafeText text={item.text} />
            </span>
          </li>
        ))}
      </ul>
      {result && (open || result.body.isError || items.length === 0) && (
        <Output event={result} lines={2} open={open} toggle={toggle} />
      )}
    </>
  );
}

function itemsOf(input: unknown): { text: string; state: string }[] {
  return [...listField(input, "todos"), ...listField(input, "plan")].map((item) => ({
    text: field(item, "content", "step", "subject", "description"),
    state: field(item, "status") || "pending",
  }));
}
