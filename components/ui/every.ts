/** Runs again and again while the tab is in front; returns how to stop. A tab behind asks for nothing. */
export function everyInFront(run: () => void, ms: number): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === "visible") run();
  }, ms);
  return () => clearInterval(timer);
}
