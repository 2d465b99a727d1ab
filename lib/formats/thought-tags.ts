// Thoughts that stand in a tag before an answer, in one text.
const OPEN = /^\s*<(think|thinking|thinking-content-[0-9a-f]+)>/;

/** What was thought, and the answer behind it. A thought that was cut off has no end. */
export function splitThought(text: string): { readonly thought: string; readonly answer: string } {
  const [open, tag] = OPEN.exec(text) ?? [];
  if (open === undefined) return { thought: "", answer: text };
  const close = `</${tag}>`;
  const end = text.indexOf(close);
  if (end < 0) return { thought: text.slice(open.length).trim(), answer: "" };
  return { thought: text.slice(open.length, end).trim(), answer: text.slice(end + close.length).trim() };
}
