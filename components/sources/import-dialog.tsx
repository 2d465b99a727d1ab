"use client";
import dynamic from "next/dynamic";

export const ImportDialog = dynamic(() => import("./import-layer.tsx").then((module) => module.ImportLayer), {
  ssr: false,
});
