"use client";
import { useQuery } from "@tanstack/react-query";
import type { ArtifactView } from "#lib/wire/artifacts.ts";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { ArtifactHeader } from "./artifact-header.tsx";
import { artifactQuery } from "./artifact-queries.ts";
import { HexViewer } from "./hex-viewer.tsx";
import { ImageViewer } from "./image-viewer.tsx";
import { isJson, JsonViewer } from "./json-viewer.tsx";
import { TextViewer } from "./text-viewer.tsx";
import "../transcript/transcript.css";

/** Images that a browser draws without running anything in them. */
const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);

export function ArtifactPage({ pointer }: { pointer: string }) {
  const artifact = useQuery(artifactQuery(pointer));
  if (artifact.error) {
    const { code, message } = failureOf(artifact.error);
    return (
      <div className="p-6">
        <Failure code={code} title="This artifact cannot be shown">
          {message}
        </Failure>
      </div>
    );
  }
  if (!artifact.data)
    return (
      <div className="p-6">
        <Loading rows={8} label="Loading the artifact" />
      </div>
    );
  return (
    <>
      <ArtifactHeader artifact={artifact.data} />
      <Viewer artifact={artifact.data} />
    </>
  );
}

/** HTML and SVG are shown as their source: what strangers wrote is never run. */
function Viewer({ artifact }: { artifact: ArtifactView }) {
  if (artifact.sizeBytes === 0) return <p className="px-6 py-4 text-ink-3">It is empty: 0 bytes.</p>;
  if (IMAGES.has(artifact.contentType)) return <ImageViewer artifact={artifact} />;
  if (artifact.lineCount !== null && isJson(artifact)) return <JsonViewer artifact={artifact} />;
  if (artifact.lineCount !== null) return <TextViewer artifact={artifact} />;
  return <HexViewer artifact={artifact} />;
}
