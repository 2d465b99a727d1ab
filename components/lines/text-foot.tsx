"use client";
// Below the lines: how many there are, going to one of them, how they are shown, and copying those that were chosen.
import { Copy, WrapText } from "lucide-react";
import { useState, type RefObject } from "react";
import type { ArtifactView, HighlightAnswer } from "#lib/wire/artifacts-schema.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { useMutation } from "@tanstack/react-query";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { copiedLines } from "../shared/artifact-queries.ts";

type Choice = readonly [isOn: boolean, set: (isOn: boolean) => void];

type TextFootProps = {
  artifact: ArtifactView;
  chosen: readonly [number, number] | null;
  /** Null: its language is not known. */
  colours: HighlightAnswer | "coming" | null;
  wrap: Choice;
  ansi: Choice;
  field: RefObject<HTMLInputElement | null>;
  onGoTo: (line: number) => void;
  onClear: () => void;
};

export function TextFoot({ artifact, chosen, colours, wrap, ansi, field, onGoTo, onClear }: TextFootProps) {
  const count = artifact.lineCount ?? 0;
  return (
    <div className="flex min-h-9 flex-none flex-wrap items-center gap-x-2 gap-y-1 border-t border-line px-6 py-1 text-12 text-ink-3 max-md:px-4">
      <span>
        {formatCount(count, "line")}
        {colouredWords(colours)}
      </span>
      <span className="flex-1" />
      {chosen && <Chosen artifact={artifact} chosen={chosen} onClear={onClear} />}
      <GoTo count={count} field={field} onGoTo={onGoTo} />
      {colours === null && (
        <Chip
          on={ansi[0]}
          title="Terminal colours. Off: escape sequences by name. An open colour lasts up to 200 lines."
          onClick={() => ansi[1](!ansi[0])}
        >
          Colours
        </Chip>
      )}
      <Chip on={wrap[0]} title="Wrap long lines (w)" onClick={() => wrap[1](!wrap[0])}>
        <WrapText size={12} aria-hidden="true" />
        Wrap
      </Chip>
    </div>
  );
}

function colouredWords(colours: TextFootProps["colours"]): string {
  if (colours === null) return "";
  if (colours === "coming" || colours.cutAtBytes === null) return "";
  return `, coloured up to line ${colours.lines.length.toLocaleString("en-US")} (${formatBytes(LIMITS.highlightBytes)})`;
}

function GoTo({ count, field, onGoTo }: Pick<TextFootProps, "field" | "onGoTo"> & { count: number }) {
  const [typed, setTyped] = useState("");
  return (
    <form
      className="flex items-center gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        const line = Number(typed.replaceAll(/[\s,]/gu, ""));
        if (!Number.isFinite(line) || line < 1) return;
        onGoTo(Math.min(count, Math.floor(line)));
      }}
    >
      <label className="flex items-center gap-1.5">
        Line
        <input
          ref={field}
          inputMode="numeric"
          aria-label="Go to line"
          title="Go to a line (:)"
          placeholder="number"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          className="h-6 w-22 rounded-1 border border-line-strong bg-raised px-1.5 text-12 text-ink tabular-nums hover:border-control"
        />
      </label>
    </form>
  );
}

function Chosen({
  artifact,
  chosen,
  onClear,
}: Pick<TextFootProps, "artifact" | "onClear"> & { chosen: readonly [number, number] }) {
  const [first, last] = chosen;
  const { copy, said } = useCopyLines(artifact, first, last);
  return (
    <span className="flex items-center gap-1">
      <span className="text-ink-2" title="Shift and a click on a number, or Shift and an arrow, chooses up to there">
        {first === last
          ? `line ${first.toLocaleString("en-US")}`
          : `lines ${first.toLocaleString("en-US")}–${last.toLocaleString("en-US")}`}
      </span>
      <Button small kind="quiet" onClick={copy}>
        <Copy size={12} aria-hidden="true" />
        <span aria-live="polite">{said ?? (first === last ? "Copy line" : "Copy lines")}</span>
      </Button>
      <Button small kind="quiet" onClick={onClear}>
        Clear
      </Button>
    </span>
  );
}

// Lines as they are stored, into the clipboard: whole, or not at all.
function useCopyLines(artifact: ArtifactView, first: number, last: number) {
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
