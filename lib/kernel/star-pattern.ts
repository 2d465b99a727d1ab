/**
 * `*` stands for any text; case does not matter. Looked for from left to right, without a regular expression: a pattern of 200
 * stars takes no longer than one.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const name = text.toLowerCase();
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
