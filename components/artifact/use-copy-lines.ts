"use client";
// Lines as they are stored, into the clipboard: whole, or not at all.
import { useMutation } from "@tanstack/react-query";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { ArtifactView } from "#lib/wire/artifacts.ts";
import { copiedLines } from "./artifact-queries.ts";

/** More is a download: a clipboard of megabytes holds programs up that it is pasted into. */
const MOST_LINES = 20_000;

export function useCopyLines(artifact: ArtifactView, first: number, last: number) {
  const copying = useMutation({
    mutationKey: ["copy-lines", artifact.digest, first, last],
    mutationFn: async () => {
      if (last - first >= MOST_LINES)
        fail("too_large", `At most ${MOST_LINES.toLocaleString("en-US")} lines are copied: download it instead`);
      await navigator.clipboard.writeText(await copiedLines(artifact.pointer, first, last));
    },
  });
  const said = copying.isPending
    ? "Copying …"
    : copying.isSuccess
      ? "Copied"
      : copying.error
        ? isAppError(copying.error)
          ? copying.error.message
          : "The browser did not let it"
        : null;
  return { copy: () => copying.mutate(), said };
}
