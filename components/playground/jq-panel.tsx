"use client";
// jq beside an artifact that is being looked at: the playground's editor and results, with the one input.
import { SquareArrowOutUpRight } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo } from "react";
import type { ViewerProps } from "../shared/content-kind.ts";
import { hasShape, shapeQuery } from "../shape/shape-query.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { buttonClass } from "../ui/button.tsx";
import { withQuery } from "../ui/api.ts";
import { CopyMenu } from "./copy-menu.tsx";
import { JqDesk } from "./jq-desk.tsx";
import { useDesk } from "./use-desk.ts";
import { inAddress } from "./work.ts";
import { useWork, type WorkStore } from "./work-store.ts";

/** The page has a `view` of its own: how the artifact is shown. */
const URL_KEYS = { view: "result" };

export function JqPanel({ artifact }: ViewerProps) {
  const shape = useQuery({ ...shapeQuery(artifact), enabled: hasShape(artifact) }).data;
  const inputs = useMemo(() => [{ artifact: artifact.pointer }], [artifact.pointer]);
  const desk = useDesk({ inputs, canAsk: true, urlKeys: URL_KEYS });
  return (
    <JqDesk
      desk={desk}
      isCompact
      shape={shape ?? null}
      artifact={artifact}
      instead={null}
      inputs={
        <>
          <CopyMenu desk={desk} small />
          <OpenLink pointer={artifact.pointer} store={desk.store} />
        </>
      }
    />
  );
}

function OpenLink({ pointer, store }: { pointer: string; store: WorkStore }) {
  const seesAll = useSeesAll();
  const work = useWork(store);
  const { program = null, options = null, arg = null, argjson = null } = inAddress(work) ?? {};
  const href = withQuery("/playground", {
    artifact: pointer,
    program,
    options,
    arg: arg?.map(listed).join(","),
    argjson: argjson?.map(listed).join(","),
  });
  if (!seesAll) return null;
  return (
    <Link className={buttonClass("quiet", true)} href={href} prefetch={false}>
      <SquareArrowOutUpRight size={12} aria-hidden="true" />
      Open in the playground
    </Link>
  );
}

/** As nuqs writes the items of a list. */
const listed = (text: string): string => text.replaceAll(",", "%2C");
