"use client";
import { fetched } from "../ui/fetched.tsx";

export const ShortcutsDialog = fetched(() => import("./shortcuts-layer.tsx").then((module) => module.ShortcutsLayer));
