const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text that is no markup of HTML or SVG, between tags and in attributes. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
