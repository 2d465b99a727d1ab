// Searches that take the processor for some 100 ms: in the server they run in a thread of their own, elsewhere where they are
// asked for.
import type { Archive } from "./archive-type.ts";

/** Its name travels to the thread, so that what it takes and answers can be cloned. */
export type SearchTask<Request extends object, Answer> = {
  readonly name: string;
  readonly run: (archive: Archive, request: Request, signal?: AbortSignal) => Answer | Promise<Answer>;
};

export async function runSearch<Request extends object, Answer>(
  archive: Archive,
  { name, run }: SearchTask<Request, Answer>,
  request: Request,
  signal?: AbortSignal,
): Promise<Answer> {
  const { searcher } = archive;
  return searcher === null ? run(archive, request, signal) : ((await searcher.run(name, request, signal)) as Answer);
}
