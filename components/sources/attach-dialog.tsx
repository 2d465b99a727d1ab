"use client";
import { fetched } from "../ui/fetched.tsx";

export const AttachDialog = fetched(() => import("./attach-layer.tsx").then((module) => module.AttachLayer));
