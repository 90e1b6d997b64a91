import { S3Client } from 'bun'
import { type BlobStore, checkBlobName, endsBefore, noBlob } from '../../domain/blob-store'
import { AppError, isAppError } from '../../domain/errors'
import type { S3Address } from '../../util/net/s3-address'

/** Silence that is borne, and the slowest connection. */
const SILENCE_MS = 10_000
const BYTES_PER_MS = 256

/** Blobs as objects of a bucket. Keys that the address does not hold come from the environment: `S3_…` or `AWS_…`. */
export function s3Blobs({ bucket, prefix, endpoint, region, keys }: S3Address): BlobStore {
  const client = new S3Client({
    bucket,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(keys && { accessKeyId: keys.id, secretAccessKey: keys.secret }),
  })
  const location = `s3://${bucket}/${prefix}`
  const fileOf = (name: string) => {
    checkBlobName(name)
    return client.file(prefix + name)
  }
  const ask = <T>(act: () => Promise<T>, bytes = 0): Promise<T> =>
    asked(location, act, SILENCE_MS + bytes / BYTES_PER_MS)
  return {
    location,
    isShared: true,

    put: (name, bytes) => ask(async () => void (await fileOf(name).write(bytes)), bytes.length),

    async read(name, from, length) {
      if (length === 0) return new Uint8Array()
      const bytes = await ask(async () => {
        try {
          return await fileOf(name)
            .slice(from, from + length)
            .bytes()
        } catch (error) {
          if (codeOf(error) === 'InvalidRange') throw endsBefore(name, from + length)
          throw codeOf(error) === 'NoSuchKey' ? noBlob(name, error) : error
        }
      }, length)
      if (bytes.length !== length) throw endsBefore(name, from + length)
      return bytes
    },

    delete: (name) =>
      ask(async () => {
        await fileOf(name)
          .delete()
          .catch((error: unknown) => {
            if (codeOf(error) !== 'NoSuchKey') throw error
          })
      }),

    async *list(below) {
      if (below !== '') checkBlobName(below.replace(/\/$/, ''))
      for (let continuationToken: string | undefined; ; ) {
        const from = { prefix: prefix + below, ...(continuationToken && { continuationToken }) }
        const page = await ask(() => client.list(from))
        for (const { key, size = 0 } of page.contents ?? [])
          yield { name: key.slice(prefix.length), size: Number(size) }
        continuationToken = page.isTruncated === true ? page.nextContinuationToken : undefined
        if (continuationToken === undefined) return
      }
    },

    head: (name) =>
      ask(async () => {
        try {
          const { size } = await fileOf(name).stat()
          return { name, size }
        } catch (error) {
          if (codeOf(error) === 'NoSuchKey') return undefined
          throw error
        }
      }),
  }
}

/** @throws `unavailable`, but for errors of our own */
async function asked<T>(location: string, act: () => Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(away(location, `no answer for ${Math.round(limitMs / 1_000)} seconds`)), limitMs)
  })
  try {
    return await Promise.race([act(), silence])
  } catch (error) {
    if (isAppError(error)) throw error
    throw away(location, codeOf(error) ?? String(error), error)
  } finally {
    clearTimeout(timer)
  }
}

const away = (location: string, why: string, cause?: unknown): AppError =>
  new AppError('unavailable', `The object storage ${location} does not do what was asked (${why}).`, {
    hint: 'Nothing acknowledged is lost. Check that it runs, the setting blobs, and its keys.',
    cause,
  })

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code
