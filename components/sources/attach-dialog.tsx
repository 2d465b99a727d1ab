"use client";
import dynamic from "next/dynamic";

export const AttachDialog = dynamic(() => import("./attach-layer.tsx").then((module) => module.AttachLayer), {
  ssr: false,
});
