import { AppError } from '../../domain/errors'
import { SIGNATURE_WINDOW_MS } from '../../domain/inbox'
import { MINUTE_MS } from '../../domain/time-units'
import { hmacSha256, isSameBytes, randomHex, sha256, sha256Hex } from '../../util/crypto'

/** What is signed beside the body, so that a request which was seen on its way is good at no other place and for no other source. */
export interface SignedPlace {
  source: string
  /** With the query, if there is one. */
  path: string
}

/** What a signed request says of itself: `Lodeline-Source`, `Lodeline-Timestamp` (seconds since 1970), `Lodeline-Signature`. */
export interface Signed extends SignedPlace {
  timestamp: string | null
  signature: string | null
  body: Uint8Array
}

/** Compared with where a source is not known: it takes as long, and tells nothing. */
const NOBODY = randomHex(32)

/** `v1=` and the HMAC-SHA256, in hex, of `<timestamp>.<source>.<path>.<body>`. No source has a slash in its name, and each path begins with one. */
export function signatureOf(
  secret: string,
  timestamp: string,
  { source, path }: SignedPlace,
  body: Uint8Array,
): string {
  const head = `${timestamp}.${source}.${path}.`
  return `v1=${hmacSha256(secret, head, body).toString('hex')}`
}

/**
 * Checks who signed and when.
 *
 * @param secret  `undefined` = no such source; answered like a wrong signature
 * @returns what names the request when it is sent again as it is
 * @throws `unauthorized` not signed, signed by another, or more than `SIGNATURE_WINDOW_MS` away from `now`
 */
export function checkSigned(secret: string | undefined, signed: Signed, now: number): string {
  const { timestamp, signature, body } = signed
  const wanted = signatureOf(secret ?? NOBODY, timestamp ?? '', signed, body)
  const isRight = isSameBytes(digest(wanted), digest(signature ?? ''))
  if (!isRight || secret === undefined || timestamp === null || !/^\d{1,12}$/.test(timestamp))
    throw new AppError('unauthorized', 'The request is not signed by a known source.', {
      hint: 'Sign `<timestamp>.<source>.<path>.<body>` with HMAC-SHA256 and the secret that `lode inbox source add` printed.',
    })
  // Shown only to a caller with the secret.
  if (Math.abs(now - Number(timestamp) * 1_000) > SIGNATURE_WINDOW_MS)
    throw new AppError('unauthorized', 'The timestamp of the signature is too old or in the future.', {
      hint: `Sign when you send, with a clock that is at most ${SIGNATURE_WINDOW_MS / MINUTE_MS} minutes off.`,
      details: { serverTime: Math.floor(now / 1_000) },
    })
  return sha256Hex(wanted)
}

const digest = (text: string): Buffer => sha256(text)
