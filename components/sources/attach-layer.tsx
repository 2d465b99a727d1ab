"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { attachFolder } from "./actions.ts";
import { PathField } from "./path-field.tsx";

/** Shows the memory folder of an agent as a session. */
export function AttachLayer({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState("");
  const attaching = useMutation({
    mutationFn: attachFolder,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["attached"] });
      onClose();
    },
  });
  const isEmpty = path.trim() === "";
  return (
    <Dialog open onClose={onClose} title="Connect agent memory" width={520} focus={field}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty && !attaching.isPending) attaching.mutate(path.trim());
        }}
      >
        <PathField
          label="The memory folder of an Autobyteus agent, on this machine"
          example="memory/agents/harbour_1234"
          value={path}
          onChange={setPath}
          field={field}
        />
        <div className="mt-3">
          <Button
            type="submit"
            kind="primary"
            disabled={isEmpty || attaching.isPending}
            title={isEmpty ? "Write a path first" : undefined}
          >
            Connect
          </Button>
        </div>
      </form>
      {attaching.error !== null && (
        <div className="mt-3">
          <RequestFailure error={attaching.error} title="Nothing was connected" />
        </div>
      )}
      <p className="mt-3 text-12 text-ink-3">
        It becomes a session that you can compact and undo. Only a compaction you apply changes the folder.
      </p>
    </Dialog>
  );
}
