"use client";
// On Load and Context: the way back to the event that they were opened from.
import { ArrowLeft } from "lucide-react";
import { useCallback, useMemo } from "react";
import { useBackParam } from "../shared/inspector-state.ts";
import { eventHref, onPlainClick } from "../shared/load-cursor.ts";
import { useSession } from "../shared/session-context.tsx";
import { buttonClass } from "../ui/button.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";

export function BackToEvent({ onOpen }: { onOpen: (seq: number) => void }) {
  const { id } = useSession();
  const [back, setBack] = useBackParam();
  const go = useCallback(() => {
    if (back === null) return;
    void setBack(null);
    onOpen(back);
  }, [back, setBack, onOpen]);
  const shortcuts = useMemo<Shortcut[]>(
    () => (back === null ? [] : [{ keys: "u", label: `Back to event ${back}`, group: "Transcript", run: go }]),
    [back, go],
  );
  useShortcuts(shortcuts);
  if (back === null) return null;
  return (
    <a className={buttonClass("quiet", true)} href={eventHref(id, back)} onClick={onPlainClick(go)}>
      <ArrowLeft size={12} aria-hidden="true" />
      Back to event {back}
    </a>
  );
}
