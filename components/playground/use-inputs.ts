"use client";
// What the page reads: artifacts and a pasted text, as they stand in the address.
import { useQueries } from "@tanstack/react-query";
import { parseAsArrayOf, parseAsString, useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import type { JqInput } from "#lib/wire/playground-schema.ts";
import { artifactQuery } from "../shared/artifact-queries.ts";
import { failureOf } from "../ui/api.ts";

/** A door takes 16 inputs: so many artifacts, and a text. */
export const MOST = 15;
/** A longer text stays in this tab. */
const TEXT_CHARS = 1000;
const ENCODED_CHARS = 3000;

export type Read = {
  readonly pointer: string;
  readonly artifact: ArtifactView | undefined;
  readonly failure: { readonly code: string; readonly message: string } | null;
};

export type Inputs = {
  readonly read: readonly Read[];
  readonly text: string;
  readonly isTextInAddress: boolean;
  readonly all: readonly JqInput[];
  /** One artifact, in place of those before. */
  readonly pick: (pointer: string) => void;
  readonly pickAll: (pointers: readonly string[]) => void;
  /** What an earlier run read, and nothing else; a pasted text is not kept, so one that stands here stays for it. */
  readonly again: (pointers: readonly string[], hasText: boolean) => void;
  readonly add: (pointer: string) => void;
  readonly drop: (pointer: string) => void;
  readonly paste: (text: string) => void;
  /** A text alone, in place of all that was read. */
  readonly sample: (text: string) => void;
};

export function useInputs(): Inputs {
  const [address, setAddress] = useQueryStates(
    { artifact: parseAsString, also: parseAsArrayOf(parseAsString), text: parseAsString },
    { history: "push" },
  );
  const [long, setLong] = useState("");
  const pointers = useMemo(
    () =>
      [...new Set([address.artifact, ...(address.also ?? [])])]
        .filter((one) => one !== null && one !== "")
        .slice(0, MOST),
    [address.artifact, address.also],
  ) as string[];
  const answers = useQueries({ queries: pointers.map((pointer) => artifactQuery(pointer)) });
  const text = address.text ?? long;
  const set = (next: readonly string[]) =>
    void setAddress({ artifact: next[0] ?? null, also: next.length > 1 ? next.slice(1) : null });
  const paste = (next: string, artifacts: { artifact?: null; also?: null } = {}) => {
    const isShort = next.length <= TEXT_CHARS && encodeURIComponent(next.toWellFormed()).length <= ENCODED_CHARS;
    setLong(isShort ? "" : next);
    void setAddress({ ...artifacts, text: isShort && next !== "" ? next : null });
  };
  return {
    read: pointers.map((pointer, at) => ({
      pointer,
      artifact: answers[at]?.data,
      failure: answers[at]?.error ? failureOf(answers[at].error) : null,
    })),
    text,
    isTextInAddress: text === "" || address.text !== null,
    all: useMemo(
      () => [...pointers.map((artifact) => ({ artifact })), ...(text === "" ? [] : [{ text }])],
      [pointers, text],
    ),
    pick: (pointer) => set([pointer]),
    pickAll: set,
    again: (next, hasText) => {
      if (!hasText) paste("");
      set(next);
    },
    add: (pointer) => set([...pointers, pointer].slice(0, MOST)),
    drop: (pointer) => set(pointers.filter((one) => one !== pointer)),
    paste: (next) => paste(next),
    sample: (next) => paste(next, { artifact: null, also: null }),
  };
}
