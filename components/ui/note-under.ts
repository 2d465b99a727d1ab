/** What acts on a click itself. */
const ACTS = "a, button, input, select, textarea, summary, label, canvas, svg, [role=slider], [contenteditable]";

/** The nearest thing under a pointer whose title is a note, and which does nothing else when it is pressed. */
export function noteUnder(target: EventTarget | null): Element | null {
  if (!(target instanceof Element) || target.closest(ACTS) !== null) return null;
  return target.closest("[title]:not([title=''])");
}
