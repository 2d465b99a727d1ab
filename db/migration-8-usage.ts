// What a call is billed for beyond its four counts: the part of its cache writes that is for one hour, at twice the input
// price, and the web searches that the provider ran.

export const USAGE = `
ALTER TABLE model_calls ADD COLUMN cache_write_1h INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_calls ADD COLUMN web_searches INTEGER NOT NULL DEFAULT 0;
`;
