"use client";
// What a person says about a finding: done, muted, or open again.
import { shownText } from "#lib/kernel/hidden-text.ts";
import type { FindingMarkRequest, FindingRow } from "#lib/wire/findings-schema.ts";
import { useWrites } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";

export type FindingMark = FindingMarkRequest["mark"];

export function MarkButtons({ row, onMark }: { row: FindingRow; onMark: (to: FindingMark) => void }) {
  // A role that reads marks nothing: the request would be refused.
  const writes = useWrites();
  const button = (to: FindingMark, name: string) => (
    <Button small kind="quiet" aria-label={`${name}: ${shownText(row.subject)}`} onClick={() => onMark(to)}>
      {name}
    </Button>
  );
  if (!writes) return null;
  if (row.state !== "open" && row.state !== "back") return button("open", "Open again");
  return (
    <>
      {button("done", "Done")}
      {button("muted", "Mute")}
    </>
  );
}
