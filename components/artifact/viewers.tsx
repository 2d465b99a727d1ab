"use client";
// The ways to look at an artifact, in the order in which they are offered: the first that fits is how it opens.
// A viewer that is added gets its line here. Each is fetched when it is first looked at.
import { lazy, type ComponentType } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
// What the server draws of a viewer comes before its script, and so must its looks.
import "../lines/lines.css";
import { isImage, isMarkdown, isTree, isTable, isText, type ViewerProps } from "../shared/content-kind.ts";

export const VIEWS = ["image", "tree", "text", "table", "rendered", "lines", "hex"] as const;
export type ViewId = (typeof VIEWS)[number];

export type Viewer = {
  readonly id: ViewId;
  readonly label: string;
  readonly fits: (artifact: ArtifactView) => boolean;
  readonly View: ComponentType<ViewerProps>;
};

/** HTML and SVG are shown as their source: what strangers wrote is never run. */
const VIEWERS: readonly Viewer[] = [
  {
    id: "image",
    label: "Image",
    fits: isImage,
    View: lazy(() => import("./image-viewer.tsx").then((module) => ({ default: module.ImageViewer }))),
  },
  {
    id: "tree",
    label: "Tree",
    fits: isTree,
    View: lazy(() => import("../json-tree/tree-viewer.tsx").then((module) => ({ default: module.JsonTreeViewer }))),
  },
  {
    id: "text",
    label: "Text",
    fits: isTree,
    View: lazy(() => import("../json-tree/text-viewer.tsx").then((module) => ({ default: module.JsonTextViewer }))),
  },
  {
    id: "table",
    label: "Table",
    fits: isTable,
    View: lazy(() => import("../table/table-viewer.tsx").then((module) => ({ default: module.TableViewer }))),
  },
  {
    id: "rendered",
    label: "Rendered",
    fits: isMarkdown,
    View: lazy(() => import("./markdown-viewer.tsx").then((module) => ({ default: module.MarkdownViewer }))),
  },
  {
    id: "lines",
    label: "Lines",
    fits: isText,
    View: lazy(() => import("../lines/text-lines-viewer.tsx").then((module) => ({ default: module.TextViewer }))),
  },
  {
    id: "hex",
    label: "Hex",
    fits: () => true,
    View: lazy(() => import("./hex-viewer.tsx").then((module) => ({ default: module.HexViewer }))),
  },
];

export const viewersOf = (artifact: ArtifactView): readonly Viewer[] => VIEWERS.filter(({ fits }) => fits(artifact));
