"use client";
// The policy for elsewhere: our settings, an API that edits its own context, the command line.
import { Copy } from "lucide-react";
import { useState } from "react";
import { useSession } from "../shared/session-context.tsx";
import { buttonClass } from "../ui/button.tsx";
import type { MenuItem } from "../ui/menu-item.ts";
import { Menu } from "../ui/menu.tsx";
import {
  commandText,
  contextEditingText,
  offloadPolicyText,
  policyOf,
  type PolicyChoice,
} from "../shared/policy-state.ts";

const SAID_MS = 1600;

export function CopyPolicy({ choice }: { choice: PolicyChoice }) {
  const { id } = useSession();
  const [said, setSaid] = useState("Copy policy");
  const copy = async (text: string) => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => "Copied",
        () => "Not let",
      ),
    );
    setTimeout(() => setSaid("Copy policy"), SAID_MS);
  };
  const offload = offloadPolicyText(choice);
  const editing = contextEditingText(choice);
  const items: MenuItem[] = [
    ...(offload === null ? [] : [item("Offload policy, for PUT /api/settings/policy", offload)]),
    ...(editing === null ? [] : [item("Context editing, for the Messages API", editing)]),
    item("Command line", commandText(id, choice)),
    item("All numbers as JSON", JSON.stringify(policyOf(choice), null, 2)),
  ];
  function item(label: string, text: string): MenuItem {
    return { id: label, label, onPick: () => void copy(text) };
  }
  return (
    <Menu
      label="Copy policy"
      align="end"
      triggerClass={buttonClass("plain", true)}
      trigger={
        <>
          <Copy size={12} aria-hidden="true" />
          <span aria-live="polite">{said}</span>
        </>
      }
      items={items}
    />
  );
}
