"use client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useEventParam } from "../shared/url-state.ts";
import { useWrites } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { ItemForm } from "./item-form.tsx";

/** A fact that a person writes down, linked to the event that the reader stands on. */
export function AddItem() {
  // Null: not opened yet. Once the form is closed its button is where the keyboard goes on.
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const [event] = useEventParam();
  if (!useWrites()) return null;
  if (isOpen !== true)
    return (
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the form that had the focus
      <Button small autoFocus={isOpen === false} onClick={() => setOpen(true)}>
        <Plus size={12} aria-hidden="true" />
        Add an item
      </Button>
    );
  return (
    <div className="basis-full">
      <ItemForm
        isNew
        first={{
          kind: "semantic",
          text: "",
          category: null,
          salience: 100,
          tags: [],
          seqs: event === null ? [] : [event],
        }}
        onClose={() => setOpen(false)}
        changeOf={({ kind, text, category, salience, tags, seqs }) => ({
          do: "add",
          kind,
          text,
          category: kind === "semantic" ? category : null,
          salience,
          tags: [...tags],
          seqs: [...seqs],
        })}
      />
    </div>
  );
}
