import type { BlobStore } from '../../domain/blob-store'
import { AppError } from '../../domain/errors'

const refuse = (): never => {
  throw new AppError(
    'unavailable',
    'This part of the record lies in object storage that this process was not told of.',
    {
      hint: 'Give this server the setting blobs that the other servers of the database have.',
    },
  )
}

/** For a process that knows of none. */
export const noBlobs: BlobStore = {
  location: 'none',
  isShared: false,
  put: async () => refuse(),
  read: async () => refuse(),
  delete: async () => refuse(),
  // biome-ignore lint/correctness/useYield: it never comes that far
  async *list() {
    refuse()
  },
  head: async () => refuse(),
}
