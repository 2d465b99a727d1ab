"use client";
// Lines as they are stored, into the clipboard: whole, or not at all.
import { useMutation } from "@tanstack/react-query";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { copiedLines } from "../shared/artifact-queries.ts";

export function useCopyLines(artifact: ArtifactView, first: number, last: number) {
  const copying = useMutation({
    mutationKey: ["copy-lines", artifact.digest, first, last],
    mutationFn: async () => {
      if (last - first >= LIMITS.copiedLines)
        fail(
          "too_large",
          `At most ${LIMITS.copiedLines.toLocaleString("en-US")} lines are copied: download it instead`,
        );
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
