// The subtypes of the notes that a request is written in.
export const REQUEST = "api-request";
export const SHAPE = "api-request-shape";
export const MESSAGE = "api-request-blob";
// And of the note that says which results are sent shorter.
export const REPLACEMENT = "content-replacement";
