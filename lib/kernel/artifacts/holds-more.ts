/** True when what is stored is more than what the model saw; an agent that cuts an output often keeps the rest nowhere. */
export const holdsMore = (storedBytes: number, seenBytes: number): boolean => storedBytes > seenBytes * 1.02 + 64;
