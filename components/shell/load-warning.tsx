"use client";
// A running session is nearly full: said on every open page until it is read.
import { useEffect, useState } from "react";
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
        if (heard.type === "warning") setWarning(heard);
      }),
    [],
  );
  return warning !== null && <WarningStrip warning={warning} onClose={() => setWarning(null)} />;
}
