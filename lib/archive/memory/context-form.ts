import { select } from "#db/statement.ts";
import { ownRenderer } from "#lib/kernel/context/own-renderer.ts";
import type { RendererId } from "#lib/kernel/context/renderers/renderer-types.ts";
import type { ContextForm } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";

/** How a context is shown whose request is not known: as the session's own provider takes it, where no other is named. */
export function rendererFor({ sqlite }: Archive, pk: number, as: ContextForm): RendererId {
  if (as !== "sent") return as;
  const { model, format } = select(sqlite, "sessions", ["model", "format"], "WHERE pk = ?").get(pk)!;
  return ownRenderer(model, format);
}
