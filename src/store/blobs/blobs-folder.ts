/** Beside the SQLite file. */
export const BLOBS_FOLDER = 'blobs'
