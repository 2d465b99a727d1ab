"use client";
import { useMutation } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";

type ConfirmLayerProps = {
  title: string;
  /** The words of the two answers, and of one that failed. */
  labels: { readonly keep: string; readonly act: string; readonly failed: string };
  run: () => Promise<unknown>;
  onClose: () => void;
  /** Why it cannot be done yet. */
  refusal?: string | null;
  children: ReactNode;
};

/** The question before something ends: what goes, and a button for each answer. */
export function ConfirmLayer({ title, labels, run, onClose, refusal = null, children }: ConfirmLayerProps) {
  const keep = useRef<HTMLButtonElement>(null);
  const acting = useMutation({ mutationFn: run, onSuccess: onClose });
  const why = acting.isPending ? "It is being done" : refusal;
  return (
    <Dialog open onClose={onClose} title={title} width={520} focus={keep}>
      <div className="text-ink-2">{children}</div>
      {acting.error !== null && (
        <div className="mt-3">
          <RequestFailure error={acting.error} title={labels.failed} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button ref={keep} onClick={onClose}>
          {labels.keep}
        </Button>
        <Button kind="primary" disabled={why !== null} title={why ?? undefined} onClick={() => acting.mutate()}>
          {labels.act}
        </Button>
      </div>
    </Dialog>
  );
}
