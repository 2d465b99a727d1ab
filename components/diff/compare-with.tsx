"use client";
import { GitCompare } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { buttonClass } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import type { MenuItem } from "../ui/menu-item.ts";
import { When } from "../ui/when.tsx";
import { comparePath } from "./compare-side.ts";
import { useOthers, type Other } from "./other-results.ts";

/** On an artifact's page: other versions of it, other results of its call, or any that is searched for. */
export function CompareWith({ artifact }: { artifact: ArtifactView }) {
  const router = useRouter();
  // Asked for when a hand comes near: most readers compare nothing.
  const [isNear, setNear] = useState(false);
  const { others, isLoading } = useOthers(artifact, isNear);
  const near = () => setNear(true);
  const items: MenuItem[] = [
    ...others.map((other) => ({
      id: other.ref,
      label: WORDS[other.why][other.isLater ? "later" : "before"],
      hint: other.why === "name" ? <When ts={other.at} /> : other.at,
      onPick: () => router.push(pathOf(artifact.pointer, other)),
    })),
    ...(isLoading ? [{ id: "loading", label: "Looking for other versions …", onPick: () => {} }] : []),
    { id: "search", label: "Another artifact …", onPick: () => router.push(comparePath(artifact.pointer)) },
  ];
  return (
    <span onPointerEnter={near} onFocus={near}>
      <Menu
        label="Compare with"
        triggerClass={buttonClass("quiet", true)}
        trigger={
          <>
            <GitCompare size={12} aria-hidden="true" />
            Compare with…
          </>
        }
        items={items}
      />
    </span>
  );
}

const WORDS = {
  name: { before: "Earlier under this name", later: "Later under this name" },
  call: { before: "An earlier result of this call", later: "A later result of this call" },
  file: { before: "An earlier read of this file", later: "A later read of this file" },
  command: { before: "An earlier run of this command", later: "A later run of this command" },
};

const pathOf = (pointer: string, other: Other): string =>
  other.isLater ? comparePath(pointer, other.ref) : comparePath(other.ref, pointer);
