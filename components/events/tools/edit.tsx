import { PencilLine } from "lucide-react";
import { useMemo } from "react";
import { Output } from "../capped-text.tsx";
import { Diff } from "../diff-lines.tsx";
import { diffOfHunks, diffOfPatch, diffOfTexts, type DiffLine } from "../diff.ts";
import { field, listField } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

export const edit: ToolView = {
  icon: PencilLine,
  Body: Edit,
};

function Edit({ call, result, open, toggle }: ToolBodyProps) {
  const patch = result?.body.detail?.patch;
  const lines = useMemo(() => editLines(call.body.input, patch), [call.body.input, patch]);
  return (
    <>
      {lines.length > 0 && <Diff lines={lines} open={open} toggle={toggle} />}
      {result && (open || result.body.isError || lines.length === 0) && (
        <Output event={result} lines={4} open={open} toggle={toggle} />
      )}
    </>
  );
}

type Patch = readonly { oldStart: number; newStart: number; lines: readonly string[] }[];

function editLines(input: unknown, patch: Patch | undefined): DiffLine[] {
  if (patch && patch.length > 0) return diffOfHunks(patch);
  const language = patchText(input);
  if (language !== "") return diffOfPatch(language);
  const edits = listField(input, "edits");
  if (edits.length > 0)
    return edits.flatMap((one) =>
      diffOfTexts(field(one, "old_string", "old_str"), field(one, "new_string", "new_str")),
    );
  return diffOfTexts(
    field(input, "old_string", "old_str"),
    field(input, "new_string", "new_str", "new_source", "file_text"),
  );
}

/** The patch language, whether it is the whole input or a field of it. */
function patchText(input: unknown): string {
  const text = typeof input === "string" ? input : field(input, "patch", "input", "diff");
  const at = text.indexOf("*** Begin Patch");
  return at < 0 ? "" : text.slice(at);
}
