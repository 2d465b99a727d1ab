/** What acts on a click itself. */
const ACTS = "a, button, input, select, textarea, summary, label, canvas, svg, [role=slider], [contenteditable]";

/** The nearest thing under a pointer whose title is a note, and which does nothing else when it is pressed. */
export function noteUnder(target: EventTarget | null): Element | null {
  if (!(target instanceof Element) || target.closest(ACTS) !== null) return null;
  const note = target.closest("[title]:not([title=''])");
  const row = target.closest("[data-row]");
  // A row that opens opens anywhere but on a number that says where it comes from.
  const isInOpening = note !== null && row?.querySelector("[data-opens]") != null && row.contains(note);
  return isInOpening && !note.hasAttribute("data-origin") ? null : note;
}
