"use client";
// The server reads both from the request, so that the first paint names the right keys and has the right columns.
import { createContext, useContext } from "react";

export const PlatformContext = createContext({ mac: false, width: 0 });
export const useIsMac = (): boolean => useContext(PlatformContext).mac;
