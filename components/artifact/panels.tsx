"use client";
// What may be asked of an artifact, in a panel below its viewer. A panel that is added gets its line here; each is fetched
// when it is first opened.
import { lazy, type ComponentType } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { isJson, isText, type ViewerProps } from "../shared/content-kind.ts";

export const PANELS = ["jq", "grep"] as const;
export type PanelId = (typeof PANELS)[number];

export type Panel = {
  readonly id: PanelId;
  readonly label: string;
  readonly fits: (artifact: ArtifactView) => boolean;
  readonly Panel: ComponentType<ViewerProps>;
};

const ALL: readonly Panel[] = [
  {
    id: "jq",
    label: "jq",
    fits: isJson,
    Panel: lazy(() => import("../playground/jq-panel.tsx").then((module) => ({ default: module.JqPanel }))),
  },
  {
    id: "grep",
    label: "grep",
    fits: isText,
    Panel: lazy(() => import("../grep/grep-panel.tsx").then((module) => ({ default: module.GrepPanel }))),
  },
];

export const panelsOf = (artifact: ArtifactView): readonly Panel[] => ALL.filter(({ fits }) => fits(artifact));
