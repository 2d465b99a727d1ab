"use client";
// What of this server whoever signed in may see. On a node of a fleet somebody of a project sees what their project has; pages and
// actions that concern the server itself are not offered to them, as their requests would be refused.
import { createContext, useContext } from "react";

export const AccessContext = createContext({ seesAll: true, isNode: false, writes: true, runsServer: true });
/** This server is a node of a fleet. */
export const useIsNode = (): boolean => useContext(AccessContext).isNode;
/** They may write in a project at least. */
export const useWrites = (): boolean => useContext(AccessContext).writes;
/** They came with the link that this server prints: its tokens, its model and what it sends are theirs alone. */
export const useRunsServer = (): boolean => useContext(AccessContext).runsServer;
export const useSeesAll = (): boolean => useContext(AccessContext).seesAll;
