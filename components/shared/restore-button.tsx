"use client";
import { History } from "lucide-react";
import { useState } from "react";
import { useSeesAll } from "../ui/access-context.ts";
import { fetched } from "../ui/fetched.tsx";

const RestoreLayer = fetched(() => import("./restore-layer.tsx").then((module) => module.RestoreLayer));

/** Opens the list of files that an agent can be given back. */
export function RestoreButton({ id, isPlain = false }: { id: string; isPlain?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  // It writes to the disk of the server.
  const seesAll = useSeesAll();
  if (!seesAll) return null;
  return (
    <>
      <button
        type="button"
        className="link flex items-center gap-1"
        title="Restore the agent’s own files, byte for byte"
        onClick={() => setOpen(true)}
      >
        {!isPlain && <History size={12} aria-hidden="true" />}
        Restore…
      </button>
      {isOpen && <RestoreLayer id={id} onClose={() => setOpen(false)} />}
    </>
  );
}
