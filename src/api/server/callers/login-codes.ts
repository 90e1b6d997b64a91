import { isSameBytes, randomBytes, sha256 } from '../../../util/crypto'
import { newCode, readCode } from '../../../util/typed-code'

/** How long a code is good. */
export const CODE_MS = 120_000
/** Codes that are open at once; the oldest gives way. */
const MAX_OPEN = 20

/** Codes by which the operator's browser comes in. In memory alone: a server's restart costs the person another `lode open`. */
export interface LoginCodes {
  /** @returns the code in groups, e.g. `7KQM-2F9D-XW4C`, and when it ends, in milliseconds since the epoch */
  make(): { code: string; expiresAt: number }
  /**
   * Uses a code up.
   * @returns `false`: it is none of these, was used, or is too old
   */
  use(code: string): boolean
}

interface OpenCode {
  hash: Buffer
  expiresAt: number
}

export function createLoginCodes(now: () => number = Date.now): LoginCodes {
  let open: OpenCode[] = []

  return {
    make() {
      const code = newCode(randomBytes)
      const expiresAt = now() + CODE_MS
      open = [
        ...open.filter((each) => each.expiresAt > now()).slice(1 - MAX_OPEN),
        { hash: hashOf(readCode(code)), expiresAt },
      ]
      return { code, expiresAt }
    },
    use(code) {
      const hash = hashOf(readCode(code))
      // All are compared, so that the time tells nothing of which one was nearly right.
      const found = open.filter((each) => isSameBytes(each.hash, hash))
      open = open.filter((each) => !found.includes(each))
      return found.some((each) => each.expiresAt > now())
    },
  }
}

const hashOf = (code: string): Buffer => sha256(code)
