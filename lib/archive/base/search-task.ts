// Searches that take the processor for some 100 ms: in the server they run in a thread of their own, elsewhere where they are
// asked for.
import type { Archive } from "./archive-type.ts";

type Searched = Pick<Archive, "searcher">;

/** Its name travels to the thread, so that what it takes and answers can be cloned. `Of`: what it looks into. */
export type SearchTask<Request extends object, Answer, Of extends Searched = Archive> = {
  readonly name: string;
  readonly run: (archive: Of, request: Request, signal?: AbortSignal) => Answer | Promise<Answer>;
};

export async function runSearch<Request extends object, Answer, Of extends Searched>(
  archive: Of,
  { name, run }: SearchTask<Request, Answer, Of>,
  request: Request,
  signal?: AbortSignal,
): Promise<Answer> {
  const { searcher } = archive;
  return searcher === null ? run(archive, request, signal) : ((await searcher.run(name, request, signal)) as Answer);
}
