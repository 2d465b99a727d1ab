// What was acknowledged and whose files are not synced yet: registry lines by their session, blobs by their digest and size,
// and the bytes of these blobs one after the other. Emptied when the files are.

export const JOURNAL = `
CREATE TABLE journal (
  n INTEGER PRIMARY KEY,
  lines TEXT NOT NULL,
  blobs TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
`;
