"use client";
// A running session is nearly full: said on every open page until it is read, and by the browser where its person allowed it.
import { useEffect, useState } from "react";
import { percent } from "#lib/kernel/load/load-labels.ts";
import { fetched } from "../ui/fetched.tsx";
import { onChange } from "../ui/live.tsx";
import type { Warning } from "./warning-strip.tsx";

/** Most pages are left without one. */
const WarningStrip = fetched(() => import("./warning-strip.tsx").then((own) => own.WarningStrip));

export function LoadWarning() {
  const [warning, setWarning] = useState<Warning | null>(null);
  useEffect(
    () =>
      onChange((heard) => {
        if (heard.type !== "warning") return;
        setWarning(heard);
        notify(heard);
      }),
    [],
  );
  return warning !== null && <WarningStrip warning={warning} onClose={() => setWarning(null)} />;
}

/** All tabs hear of it: one of the session's notices takes the place of the other. */
function notify({ id, title, share }: Warning): void {
  if (typeof Notification === "undefined" || Notification.permission !== "granted" || !document.hidden) return;
  const notice = new Notification("Plimsoll", {
    body: `${title} is at ${percent(share)} of its load line.`,
    tag: `load ${id}`,
  });
  notice.addEventListener("click", () => window.focus());
}
