// What stands in the head of a request: its headers as they came, cookies, the bearer token.

/** Values by name in small letters, duplicates included. */
export function headerLists(raw: readonly string[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    lists.set(name, [...(lists.get(name) ?? []), (raw[i + 1] ?? "").trim()]);
  }
  return lists;
}

export function cookieValues(lines: readonly string[], name: string): string[] {
  return lines
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

export function bearerToken(header: string | null): string | null {
  const match = header === null ? null : /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(header);
  return match?.[1] ?? null;
}

/** Text of a client, fit for a message. */
export function printable(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, "?").slice(0, 80);
}
