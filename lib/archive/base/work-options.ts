// How far a work is that takes seconds, and how it is stopped.

/** `total` is null where it is not known before the end. */
export type WorkProgress = { readonly done: number; readonly total: number | null; readonly what: string };

export type WorkOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
};
