"use client";
import dynamic from "next/dynamic";

export const ShortcutsDialog = dynamic(() => import("./shortcuts-layer.tsx").then((module) => module.ShortcutsLayer), {
  ssr: false,
});
