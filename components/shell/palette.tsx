"use client";
import { fetched } from "../ui/fetched.tsx";

// The palette brings cmdk and a dialog with it (some 20 kB compressed): it is fetched when it is first asked for.
export const Palette = fetched(() => import("./palette-layer.tsx").then((module) => module.PaletteLayer));
