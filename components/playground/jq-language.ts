"use client";
// What the editor knows of jq.
import type { JqRunEnd } from "#lib/wire/playground.ts";
import type { Monaco } from "../artifact/monaco.ts";

type Failure = NonNullable<JqRunEnd["failure"]>;
type Model = ReturnType<Monaco["editor"]["createModel"]>;
export type { ShapeAnswer as Shape } from "#lib/wire/shape.ts";
import type { ShapeAnswer as Shape } from "#lib/wire/shape.ts";

let isRegistered = false;

export function registerJq(monaco: Monaco): void {
  if (isRegistered) return;
  isRegistered = true;
  monaco.languages.register({ id: "jq" });
}

export function setShape(_model: Model, _shape: Shape | null): void {}

/** Marks the place that jq named. */
export function markFailure(monaco: Monaco, model: Model, failure: Failure | null): void {
  const markers =
    failure === null || failure.line === null
      ? []
      : [
          {
            severity: monaco.MarkerSeverity.Error,
            message: failure.message,
            startLineNumber: failure.line,
            startColumn: failure.column ?? 1,
            endLineNumber: failure.line,
            endColumn: (failure.column ?? 1) + 1,
          },
        ];
  monaco.editor.setModelMarkers(model, "jq", markers);
}
