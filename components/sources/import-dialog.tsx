"use client";
import { fetched } from "../ui/fetched.tsx";

export const ImportDialog = fetched(() => import("./import-layer.tsx").then((module) => module.ImportLayer));
