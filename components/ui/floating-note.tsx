"use client";
import { fetched } from "./fetched.tsx";
import type { FloatingNoteProps } from "./floating-box.tsx";

/** A note beside something, fetched when the first is shown. Where the server has stopped meanwhile there is none, and the page stays. */
export const FloatingNote = fetched<FloatingNoteProps>(() =>
  import("./floating-box.tsx").then(
    (own) => own.FloatingBox,
    () => () => null,
  ),
);
