"use client";
import dynamic from "next/dynamic";

// The palette brings cmdk and a dialog with it (some 20 kB compressed): it is fetched when it is first asked for.
export const Palette = dynamic(() => import("./palette-layer.tsx").then((module) => module.PaletteLayer), {
  ssr: false,
});
