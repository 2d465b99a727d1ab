"use client";
// What a title says on hover a click or a tap says too: where a number comes from, why a value is not there, what a badge
// means. One listener for all of them; buttons and links keep their own click.
import { useCallback, useEffect, useRef, useState } from "react";
import { FloatingNote } from "../ui/floating-note.tsx";
import { noteUnder } from "../ui/note-under.ts";

export function TitleNotes() {
  const [shown, setShown] = useState<{ readonly of: Element; readonly text: string } | null>(null);
  const anchor = useRef<Element | null>(null);
  const close = useCallback(() => setShown(null), []);
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      if (event.button !== 0 || window.getSelection()?.isCollapsed === false) return;
      const found = noteUnder(event.target);
      anchor.current = found;
      const text = found?.getAttribute("title") ?? "";
      setShown((now) => (found === null || text === "" || now?.of === found ? null : { of: found, text }));
    };
    document.addEventListener("click", onClick);
    return () => document.removeEventListener("click", onClick);
  }, []);
  if (shown === null) return null;
  return (
    <FloatingNote key={shown.text} anchor={anchor} onClose={close}>
      {shown.text}
    </FloatingNote>
  );
}
