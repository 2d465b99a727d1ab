import type { ArtifactView } from "#lib/wire/artifacts.ts";
import { rawArtifactPath } from "../session/queries.ts";
import { shownText } from "../ui/hidden-text.ts";

/** The image at its own size, on squares that show where it is clear. */
export function ImageViewer({ artifact }: { artifact: ArtifactView }) {
  return (
    <div className="min-h-0 flex-1 overflow-auto p-6">
      <img
        src={`${rawArtifactPath(artifact.pointer)}?inline=1`}
        alt={shownText(artifact.name ?? `The image ${artifact.id}`)}
        width={artifact.width ?? undefined}
        height={artifact.height ?? undefined}
        className="clear-squares max-w-full border border-line object-contain"
      />
    </div>
  );
}
