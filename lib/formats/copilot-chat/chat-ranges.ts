// Where the parts of a chat lie in its file: what is named apart stands in bytes of its own.
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { objectMembers, scanJson } from "../json-parts.ts";

export type Bytes = { readonly byteStart: number; readonly byteEnd: number };

export type ChatBytes = Pick<SourceRecord, "bytes" | "byteStart">;

const bytesAt = ({ bytes, byteStart }: ChatBytes, at: Bytes): Uint8Array =>
  bytes.subarray(at.byteStart - byteStart, at.byteEnd - byteStart);

/** An object that is a member of the object there; null where it has none. */
export function memberAt(file: ChatBytes, at: Bytes, key: string): Bytes | null {
  const found = objectMembers(bytesAt(file, at)).find((member) => member.key === key);
  return found === undefined ? null : { byteStart: at.byteStart + found.from, byteEnd: at.byteStart + found.to };
}

/** The elements of a list that is a member of the object there. */
export const elementsAt = (file: ChatBytes, at: Bytes, key: string): Bytes[] =>
  (scanJson(bytesAt(file, at), [key]).lists.get(key) ?? []).map(({ from, to }) => ({
    byteStart: at.byteStart + from,
    byteEnd: at.byteStart + to,
  }));

/** From the first to the last of them. */
export function spanOf(elements: readonly Bytes[]): Bytes | null {
  const [first, last] = [elements[0], elements.at(-1)];
  return first === undefined ? null : { byteStart: first.byteStart, byteEnd: last!.byteEnd };
}
