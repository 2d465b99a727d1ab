// Which version of its format read a source: what an older one read is read again from the kept bytes.

export const FORMAT_VERSION = `
ALTER TABLE sources ADD COLUMN format_version INTEGER NOT NULL DEFAULT 1;
`;
