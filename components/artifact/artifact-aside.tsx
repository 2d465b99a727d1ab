"use client";
// Everything about an artifact that is not its bytes.
import { useQuery } from "@tanstack/react-query";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { historyQuery } from "../shared/artifact-queries.ts";
import { AsideSection } from "./aside-section.tsx";
import { Checksum, SameBytes, ShapeOutline } from "./bytes-facts.tsx";
import { Decision } from "./decision.tsx";
import { Lineage } from "./lineage.tsx";
import { Names } from "./names.tsx";
import { Reads } from "./reads.tsx";

export function ArtifactAside({ artifact }: { artifact: ArtifactView }) {
  const history = useQuery(historyQuery(artifact.pointer));
  return (
    <>
      {artifact.description !== null && artifact.description !== "" && (
        <AsideSection title="Description">
          <SafeText text={artifact.description} badge />
        </AsideSection>
      )}
      {history.data ? (
        <>
          <Lineage lineage={history.data.lineage} sessionId={artifact.sessionId} />
          <Reads reads={history.data.reads} sessionId={artifact.sessionId} sizeBytes={artifact.sizeBytes} />
          <ShapeOutline artifact={artifact} />
          <Decision decision={history.data.decision} presets={history.data.presets} origin={artifact.origin} />
          <Names names={history.data.names} />
        </>
      ) : history.error ? (
        <div className="p-5">
          <Failure code={failureOf(history.error).code} title="Its history could not be read">
            {failureOf(history.error).message}
          </Failure>
        </div>
      ) : (
        <div className="p-5">
          <Loading rows={6} label="Loading the history" />
        </div>
      )}
      <SameBytes artifact={artifact} />
      <Checksum artifact={artifact} />
    </>
  );
}
