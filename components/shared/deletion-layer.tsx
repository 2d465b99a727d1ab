// The question before something is deleted: what goes and what stays, as the server says it now, and a button for each answer.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import type { z } from "zod";
import { api, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";

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
  const cancel = useRef<HTMLButtonElement>(null);
  const preview = useQuery({
    queryKey: ["deletion-preview", props.preview.path],
    queryFn: ({ signal }) => api(props.preview.path, props.preview.schema, { signal }),
    // What it says must be true now.
    staleTime: 0,
    gcTime: 0,
  });
  const deletion = useMutation({
    mutationFn: () => send("DELETE", props.deletion.path, props.deletion.schema),
    onSuccess: async () => {
      props.onDeleted();
      await Promise.all(props.changes.map((key) => queries.invalidateQueries({ queryKey: [key] })));
    },
  });
  const { data } = preview;
  const failure = preview.error ?? deletion.error;
  const refusal = data === undefined ? "The preview is loading" : (props.refusal?.(data) ?? null);
  return (
    <Dialog open onClose={props.onClose} title={props.title} width={520} focus={cancel}>
      {props.subject}
      {data === undefined
        ? preview.error === null && <Loading rows={4} height={24} label="Loading the preview" />
        : props.children(data)}
      {failure !== null && (
        <div className="mt-3">
          <RequestFailure
            error={failure}
            title={deletion.error === null ? "The preview could not be read" : props.failed}
          />
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button ref={cancel} onClick={props.onClose}>
          {props.keep}
        </Button>
        <Button
          kind="primary"
          disabled={refusal !== null || deletion.isPending}
          title={refusal ?? undefined}
          onClick={() => deletion.mutate()}
        >
          {props.action(data)}
        </Button>
      </div>
    </Dialog>
  );
}
