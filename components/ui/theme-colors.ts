// Colours of the theme for what does not take CSS: a canvas, the editor.

/** Calls back when the theme changes, by the switch, the system or because paper is light; gives what ends that. */
export function watchTheme(changed: () => void): () => void {
  const media = ["(prefers-color-scheme: dark)", "print"].map((query) => matchMedia(query));
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
  for (const one of media) one.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    for (const one of media) one.removeEventListener("change", changed);
  };
}

/** A token's colour where the element stands, and whether the theme is dark there. A token holds both colours. */
export function themeColors(element: Element): { color: (token: string) => string; isDark: boolean } {
  const style = getComputedStyle(element);
  const isDark =
    style.colorScheme === "dark" ||
    (style.colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const color = (token: string): string => {
    const value = style.getPropertyValue(token).trim();
    const both = /^light-dark\((.+), *(.+)\)$/u.exec(value);
    return both?.[isDark ? 2 : 1] ?? value;
  };
  return { color, isDark };
}
