// The question before something is deleted: what goes and what stays, as the server says it now, and a button for each answer.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { z } from "zod";
import { api, send } from "../ui/api.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { ConfirmLayer } from "./confirm-layer.tsx";

type DeletionLayerProps<Preview extends z.ZodType> = {
  readonly title: string;
  readonly preview: { readonly path: string; readonly schema: Preview };
  readonly deletion: { readonly path: string; readonly schema: z.ZodType };
  /** Keys of the answers that it changes. */
  readonly changes: readonly string[];
  /** The words of a deletion that failed. */
  readonly failed: string;
  readonly keep: string;
  /** The words of the button, before the preview is there too. */
  readonly action: (preview: z.infer<Preview> | undefined) => string;
  /** Why there is nothing to do, or null. */
  readonly refusal?: (preview: z.infer<Preview>) => string | null;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
  /** What stands above the preview. */
  readonly subject?: ReactNode;
  readonly children: (preview: z.infer<Preview>) => ReactNode;
};

export function DeletionLayer<Preview extends z.ZodType>(props: DeletionLayerProps<Preview>) {
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: ["deletion-preview", props.preview.path],
    queryFn: ({ signal }) => api(props.preview.path, props.preview.schema, { signal }),
    // What it says must be true now.
    staleTime: 0,
    gcTime: 0,
  });
  const { data } = preview;
  return (
    <ConfirmLayer
      title={props.title}
      labels={{ keep: props.keep, act: props.action(data), failed: props.failed }}
      refusal={data === undefined ? "The preview is loading" : (props.refusal?.(data) ?? null)}
      run={async () => {
        await send("DELETE", props.deletion.path, props.deletion.schema);
        props.onDeleted();
        await Promise.all(props.changes.map((key) => queries.invalidateQueries({ queryKey: [key] })));
      }}
      onClose={props.onClose}
    >
      <div className="text-ink">
        {props.subject}
        {preview.error !== null ? (
          <RequestFailure error={preview.error} title="The preview could not be read" />
        ) : data === undefined ? (
          <Loading rows={4} height={24} label="Loading the preview" />
        ) : (
          props.children(data)
        )}
      </div>
    </ConfirmLayer>
  );
}
