import {
  type AgentId,
  agentId,
  type IssueId,
  issueId,
  type QuestionId,
  questionId,
  type TaskId,
  type TokenId,
  taskId,
  tokenId,
} from '../../domain/ids'
import { sha256 } from '../../util/crypto'

/** Bytes of unpredictable input for a token. */
const TOKEN_BYTES = 32

/**
 * `lwk_` is a worker's process, `lld_` a lead's, `lat_` an attempt's. An operator gives out `lwe_` to a worker's machine, `lvw_` to a
 * viewer, `lop_` to another operator, `lus_` to a person's programs. `lub_` is the cookie of a person's browser, and `lsh_` stands in a
 * link that shows one session.
 */
export type TokenKind = 'lwk' | 'lld' | 'lat' | 'lwe' | 'lvw' | 'lop' | 'lus' | 'lub' | 'lsh'

export interface MadeToken {
  /** Given out once. */
  token: string
  /** sha-256 of it: all that is kept. */
  hash: Uint8Array
}

export function newToken(kind: TokenKind, random: (bytes: number) => Uint8Array): MadeToken {
  const token = `${kind}_${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`
  return { token, hash: hashOf(token) }
}

/** sha-256 of a secret. */
export const hashOf = (secret: string): Uint8Array => sha256(secret)

const LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'

/** So many of `0-9a-z`, each as likely as the others. */
export function randomName(length: number, random: (bytes: number) => Uint8Array): string {
  let name = ''
  while (name.length < length)
    // 252 is the largest multiple of 36 below 256: what is above would favour the first letters.
    for (const byte of random(length * 2)) if (byte < 252 && name.length < length) name += LETTERS.charAt(byte % 36)
  return name
}

type Random = (bytes: number) => Uint8Array
export const newTaskId = (random: Random): TaskId => taskId(`t-${randomName(8, random)}`)
export const newAgentId = (random: Random): AgentId => agentId(`a-${randomName(8, random)}`)
export const newTokenId = (random: Random): TokenId => tokenId(`k-${randomName(8, random)}`)
export const newQuestionId = (random: Random): QuestionId => questionId(`q-${randomName(8, random)}`)
export const newIssueId = (length: number, random: Random): IssueId => issueId(`ld-${randomName(length, random)}`)
