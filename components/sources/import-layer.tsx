"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { importPaths, uploadFiles } from "../shared/import-state.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { addFolder } from "./actions.ts";
import { PathField } from "./path-field.tsx";

/** Reads files or a folder: once, or from now on. */
export function ImportLayer({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const run = async (act: (path: string) => Promise<unknown>) => {
    setBusy(true);
    setFailure(null);
    try {
      await act(path.trim());
      await queries.invalidateQueries({ queryKey: ["sources"] });
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const empty = path.trim() === "";
  const why = empty ? "Write a path first" : undefined;

  return (
    <Dialog open onClose={onClose} title="Import" width={520} focus={field}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!empty) void run(addFolder);
        }}
      >
        <PathField
          label="A session file, or a folder that holds some, on this machine"
          example="~/.claude/projects"
          value={path}
          onChange={setPath}
          field={field}
        />
        <div className="mt-3 flex flex-wrap gap-2">
          <Button type="submit" kind="primary" disabled={empty || busy} title={why}>
            Read and watch
          </Button>
          <Button
            disabled={empty || busy}
            title={why ?? "Reads it now; later changes are not followed"}
            onClick={() => void run((request) => importPaths([request]))}
          >
            Read once
          </Button>
          <FilePicker onPicked={onClose} />
        </div>
      </form>
      {failure !== null && (
        <div className="mt-3">
          <RequestFailure error={failure} title="Nothing was imported" />
        </div>
      )}
      <p className="mt-3 text-12 text-ink-3">
        Files are never changed. You can also drop session files anywhere on the page.
      </p>
    </Dialog>
  );
}

function FilePicker({ onPicked }: { onPicked: () => void }) {
  return (
    <label className="inline-flex h-7 cursor-pointer items-center rounded-2 px-2.5 font-medium text-ink-2 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:bg-sunk">
      Choose files…
      <input
        type="file"
        multiple
        className="sr-only"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          if (files.length === 0) return;
          onPicked();
          void uploadFiles(files);
        }}
      />
    </label>
  );
}
