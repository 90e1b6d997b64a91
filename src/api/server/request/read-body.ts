import { AppError } from '../../../domain/errors'
import { isDeeper } from '../../../util/json/json-depth'

export interface BodyLimits {
  /** In bytes. */
  maxBytes: number
  /** For the whole body, from the first read. */
  timeoutMs: number
}

/**
 * Reads a JSON body's bytes, and stops reading as soon as a limit is passed.
 *
 * @throws `invalid` for another content type (a form can't send this one without asking first) or a body that is late, `too_large`
 */
export const readJsonBytes = (request: Request, limits: BodyLimits): Promise<Uint8Array> =>
  readBytes(request, 'application/json', limits)

/** The same for raw bytes, which are `application/octet-stream`. */
export const readRawBytes = (request: Request, limits: BodyLimits): Promise<Uint8Array> =>
  readBytes(request, 'application/octet-stream', limits)

async function readBytes(request: Request, wanted: string, limits: BodyLimits): Promise<Uint8Array> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== wanted) {
    throw new AppError('invalid', `The body must be ${wanted}.`, { hint: `Send \`Content-Type: ${wanted}\`.` })
  }
  const announced = request.headers.get('content-length')
  if (Number(announced) > limits.maxBytes) throw tooLarge(limits.maxBytes)
  if (announced !== null) return readWhole(request, limits)
  if (request.body === null) return new Uint8Array(0)
  return collect(request.body, limits)
}

/** A body of known length, which can't outgrow it: taken at once. As a stream it cost 23 µs of a request's 56. */
async function readWhole(request: Request, { timeoutMs }: BodyLimits): Promise<Uint8Array> {
  const whole = request.bytes()
  // Most bodies are here with their headers.
  const here = Bun.peek(whole)
  if (here instanceof Uint8Array) return here
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooLate(timeoutMs)), timeoutMs)
  try {
    return await Promise.race([whole, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function collect(body: ReadableStream<Uint8Array>, { maxBytes, timeoutMs }: BodyLimits): Promise<Uint8Array> {
  const reader = body.getReader()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooLate(timeoutMs)), timeoutMs)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise])
      if (done) return join(chunks, size)
      size += value.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      chunks.push(value)
    }
  } catch (error) {
    // Not awaited: what still comes is nobody's, and the sender may never end.
    reader.cancel().catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function join(chunks: Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0]
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Arrays and objects within each other in a body. What agents and their hooks send has some ten. */
export const MAX_JSON_DEPTH = 200

/** Reads bytes as JSON. @throws `invalid` also for what is nested so deeply that code which walks through it would run out of stack */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  if (isDeeper(bytes, MAX_JSON_DEPTH))
    throw new AppError('invalid', `The body is nested more than ${MAX_JSON_DEPTH} levels deep.`, {
      details: { limit: MAX_JSON_DEPTH, unit: 'levels' },
    })
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    throw new AppError('invalid', `The body is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}

const tooLarge = (maxBytes: number) =>
  new AppError('too_large', `The body is larger than ${maxBytes} bytes.`, { details: { maxBytes } })

const tooLate = (timeoutMs: number) =>
  new AppError('invalid', `The body did not arrive within ${timeoutMs} ms.`, { details: { timeoutMs } })
