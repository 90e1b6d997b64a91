import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../../domain/errors'

/** How long a code is good. */
export const CODE_MS = 120_000
/** Codes that are open at once; the oldest gives way. */
const MAX_OPEN = 20
/** Wrong codes of all callers together, within a minute, after which no code is looked at. */
const MAX_WRONG = 10
const WRONG_MS = 60_000

/** Crockford's base 32: of signs that look alike it has one, and reads the others as that one. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 60 bits. */
const LENGTH = 12

/** Codes by which a browser comes in. In memory alone: a server's restart costs the person another `lode open`. */
export interface LoginCodes {
  /** @returns the code in groups, e.g. `7KQM-2F9D-XW4C`, and when it ends, in milliseconds since the epoch */
  make(): { code: string; expiresAt: number }
  /**
   * Uses a code up.
   * @throws `unauthorized` it is none, was used, or is too old; `unavailable` too many were wrong within the last minute
   */
  use(code: string): void
}

interface OpenCode {
  hash: Buffer
  expiresAt: number
}

export function createLoginCodes(now: () => number = Date.now): LoginCodes {
  let open: OpenCode[] = []
  let wrongAt: number[] = []

  return {
    make() {
      const code = randomCode()
      const expiresAt = now() + CODE_MS
      open = [...open.filter((each) => each.expiresAt > now()).slice(1 - MAX_OPEN), { hash: hashOf(code), expiresAt }]
      return { code: grouped(code), expiresAt }
    },
    use(code) {
      wrongAt = wrongAt.filter((at) => at > now() - WRONG_MS)
      if (wrongAt.length >= MAX_WRONG) {
        throw new AppError('unavailable', 'Too many wrong login codes were tried.', {
          hint: "Wait a minute, then run 'lode open' again.",
        })
      }
      const hash = hashOf(readCode(code))
      // All are compared, so that the time tells nothing of which one was nearly right.
      const found = open.filter((each) => timingSafeEqual(each.hash, hash))
      open = open.filter((each) => !found.includes(each))
      if (found.some((each) => each.expiresAt > now())) return
      wrongAt.push(now())
      throw new AppError('unauthorized', 'This login code is wrong, already used or too old.', {
        hint: "Run 'lode open' to get another one. Each code is valid once and for two minutes.",
      })
    },
  }
}

function randomCode(): string {
  // 256 is a multiple of 32: no sign is more likely than another.
  return [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

const grouped = (code: string): string => code.replace(/(....)(?=.)/g, '$1-')

/** As a person may type it: any case, dashes and spaces anywhere, and the letters that stand for no other sign. */
function readCode(typed: string): string {
  return typed
    .toUpperCase()
    .replace(/[\s-]+/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
}

const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest()
