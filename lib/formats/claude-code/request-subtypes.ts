// The subtypes of the notes that a request is written in.
export const REQUEST = "api-request";
export const SHAPE = "api-request-shape";
export const MESSAGE = "api-request-blob";
