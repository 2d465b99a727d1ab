"use client";
// What was typed before the page came alive: React leaves it in the field and hears nothing of it, so that the next drawing would take it
// away. Once alive the field says it.
import { useEffect, useEffectEvent, type RefObject } from "react";

export function useTypedEarly(
  field: RefObject<{ readonly value: string } | null>,
  value: string,
  onType: (typed: string) => void,
): void {
  const catchUp = useEffectEvent(() => {
    const typed = field.current?.value ?? value;
    if (typed !== value) onType(typed);
  });
  useEffect(() => catchUp(), []);
}
