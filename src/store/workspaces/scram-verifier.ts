import { hmacSha256, randomBytes, sha256 } from '../../util/crypto'

/** What RFC 7677 asks for at least, and PostgreSQL takes. */
const ITERATIONS = 4_096

/**
 * What PostgreSQL keeps of a password (SCRAM-SHA-256), so that the password itself is neither sent nor logged when a role is made.
 *
 * @param password  printable ASCII: other texts would have to be prepared first
 */
export function scramVerifier(password: string, salt: Uint8Array = randomBytes(16)): string {
  const salted = saltedPassword(password, salt)
  const stored = sha256(hmacSha256(salted, 'Client Key'))
  const server = hmacSha256(salted, 'Server Key')
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${base64(salt)}$${base64(stored)}:${base64(server)}`
}

/** PBKDF2 with one block, as SCRAM has it. */
function saltedPassword(password: string, salt: Uint8Array): Buffer {
  let block = hmacSha256(password, salt, Uint8Array.of(0, 0, 0, 1))
  const sum = Buffer.from(block)
  for (let round = 1; round < ITERATIONS; round++) {
    block = hmacSha256(password, block)
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) ^ (block[i] ?? 0)
  }
  return sum
}
