import type { BlobStore } from '../../domain/blob-store'
import { AppError } from '../../domain/errors'
import { parseS3Address } from '../../util/net/s3-address'
import { fileBlobs } from './file-blobs'
import { s3Blobs } from './s3-blobs'

/** The blob store of an address, or of a folder. @throws `invalid` */
export function openBlobs(place: { url: string } | { folder: string }): BlobStore {
  if ('folder' in place) return fileBlobs(place.folder)
  const address = parseS3Address(place.url)
  if (address === null) throw new AppError('invalid', 'The setting blobs must be an s3:// address.')
  return s3Blobs(address)
}
