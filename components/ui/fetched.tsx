"use client";
import { lazy, Suspense, useEffect, type ComponentType, type ReactNode } from "react";

/**
 * A component that is fetched when it is first shown; meanwhile `fallback` stands there, or nothing. What can be closed is closed by
 * Escape before it has come: it would take the focus later.
 */
export function fetched<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return function Fetched(props: Props) {
    const { onClose } = props as { onClose?: () => void };
    return (
      <Suspense fallback={fallback ?? (onClose && <OnEscape run={onClose} />)}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

function OnEscape({ run }: { run: () => void }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // No shortcut of the page is meant.
      event.stopPropagation();
      run();
    };
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, [run]);
  return null;
}
