/**
 * Paints what `rangesIn` finds over the text of an element, now and after every change of what it holds, at most once a frame.
 * `again` asks for one more frame. Returns how to end it.
 */
export function keepMarked(element: Element, name: string, rangesIn: (again: () => void) => Range[]): () => void {
  let frame = 0;
  const mark = () => {
    frame = 0;
    CSS.highlights.set(name, new Highlight(...rangesIn(soon)));
  };
  const soon = () => {
    frame ||= requestAnimationFrame(mark);
  };
  const observer = new MutationObserver(soon);
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  soon();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(name);
  };
}
