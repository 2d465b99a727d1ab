import type { ImagePart } from "#lib/kernel/event.ts";
import { artifactPath, rawArtifactPath } from "../shared/session-queries.ts";
import Link from "next/link";
import { SafeText } from "../ui/safe-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

/** Images of a message, from the archive alone. */
export function Images({ images }: { images: readonly ImagePart[] | undefined }) {
  if (!images || images.length === 0) return null;
  return (
    <div className="mt-1.5 flex flex-wrap gap-2">
      {images.map((image) =>
        image.artifact === null ? (
          <span key={image.attachment} className="text-12 text-ink-3">
            An image (<SafeText text={image.mediaType} />) that was not kept
          </span>
        ) : (
          <Link key={image.attachment} href={artifactPath(image.artifact)} className="block">
            <img
              src={`${rawArtifactPath(image.artifact)}?inline=1`}
              alt={`${shownText(image.mediaType)}${image.width === null ? "" : `, ${image.width} × ${image.height}`}`}
              width={image.width ?? undefined}
              height={image.height ?? undefined}
              loading="lazy"
              className="max-h-80 w-auto max-w-full rounded-1 border border-line object-contain"
            />
          </Link>
        ),
      )}
    </div>
  );
}
