// Words of a stranger, as a person would see them: without signs that steer a terminal, turn the line around, or carry
// text that nobody sees.

/** Controls but tab and line end, marks of direction, what has no width, and the invisible copies of ASCII. */
const STEERING =
  // oxlint-disable-next-line no-control-regex -- controls are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export const withoutSteering = (text: string): string => text.replace(STEERING, "").toWellFormed();

/** One line of at most so many characters, for a sentence of ours. */
export function shortText(text: string, most = 300): string {
  const line = withoutSteering(text.slice(0, most * 4).replace(/\s+/g, " ")).trim();
  const chars = [...line];
  return chars.length <= most ? line : `${chars.slice(0, most).join("")}…`;
}
