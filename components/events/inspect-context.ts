"use client";
// What opens the inspector from a row: given by the list, so that no row keeps an eye on the address itself.
import { createContext, useContext } from "react";
import type { InspectorView } from "../shared/inspector-state.ts";

type Inspect = (seq: number, view: InspectorView) => void;

export const InspectContext = createContext<Inspect | null>(null);

/** Null outside of the list: in the inspector itself. */
export const useInspect = (): Inspect | null => useContext(InspectContext);
