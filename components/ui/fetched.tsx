"use client";
import { lazy, Suspense, type ComponentType, type ReactNode } from "react";

/** A component that is fetched when it is first shown; meanwhile `fallback` stands there, or nothing. */
export function fetched<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return function Fetched(props: Props) {
    return (
      <Suspense fallback={fallback}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
