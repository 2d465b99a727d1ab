"use client";
import { queryOptions } from "@tanstack/react-query";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { shapeAnswer } from "#lib/wire/shape-schema.ts";
import { api } from "../ui/api.ts";

export type ShapeOf = Pick<ArtifactView, "pointer" | "digest" | "contentType" | "lineCount">;

/** What a digest names never changes, nor does its shape. */
export const shapeQuery = ({ pointer, digest }: Pick<ShapeOf, "pointer" | "digest">) =>
  queryOptions({
    queryKey: ["shape", digest],
    queryFn: ({ signal }) => api(`/api/artifacts/${encodeURIComponent(pointer)}/shape`, shapeAnswer, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    retry: false,
  });

const SHAPED = /json|^text\/(csv|tab-separated-values)\b/i;

/** Whether an artifact is of a kind that has a shape: JSON, JSON lines, a table. */
export const hasShape = ({ contentType, lineCount }: Pick<ShapeOf, "contentType" | "lineCount">): boolean =>
  lineCount !== null && SHAPED.test(contentType);
