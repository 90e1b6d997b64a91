import { sha256Hex } from '../../util/crypto'
import { findCutSecrets } from './cut-secrets'
import { findSecrets, type SecretSpan } from './find-secrets'
import type { SecretRuleName } from './rules'

/** What stands for a secret in everything that is shown. No character of it has a meaning in JSON, Markdown's links or a terminal. */
export const maskOf = (rule: SecretRuleName): string => `[secret: ${rule}]`

/** The settings about secrets. Plain data, so that threads can receive them. */
export interface SecretSettings {
  /** Whether secrets are looked for at all. */
  detect: boolean
  /** What is none: names of rules, and IDs of single secrets. */
  ignore: readonly string[]
}

export const DEFAULT_SECRETS: SecretSettings = { detect: true, ignore: [] }

/** Digits of an ID: too few to guess a secret from, enough that no two are alike. */
const ID_DIGITS = 16

/**
 * The ID by which a secret is known again. It is a hash without a key, so that all servers of a database agree on it: a form has so much
 * chance in it that nobody finds a secret by trying. A password that a person chose has less; its ID is for operators, as it is itself.
 */
export const secretIdOf = (rule: SecretRuleName, secret: Uint8Array): string =>
  sha256Hex(`${rule}\0`, secret).slice(0, ID_DIGITS)

/** Puts a mask in the place of each of these spans, which are in order. */
export function maskSpans(bytes: Uint8Array, spans: readonly SecretSpan[]): Uint8Array {
  if (spans.length === 0) return bytes
  const parts: Uint8Array[] = []
  let at = 0
  for (const { rule, from, to } of spans) {
    parts.push(bytes.subarray(at, from), Buffer.from(maskOf(rule), 'latin1'))
    at = to
  }
  parts.push(bytes.subarray(at))
  return Buffer.concat(parts)
}

/**
 * Overwrites the spans: as many bytes as before, so that nothing moves and JSON stays valid.
 *
 * @param word  as much of it as a short secret has room for
 */
export function overwriteSpans(
  bytes: Uint8Array,
  spans: readonly Pick<SecretSpan, 'from' | 'to'>[],
  word: string,
): void {
  for (const { from, to } of spans)
    bytes.set(Buffer.from(word.padEnd(to - from, '*').slice(0, to - from), 'latin1'), from)
}

/** Finds secrets and masks them, by the settings. */
export interface SecretMask {
  /** Those that the settings do not ignore, in order. */
  find(bytes: Uint8Array): readonly SecretSpan[]
  bytes(bytes: Uint8Array): Uint8Array
  /**
   * A text, or JSON text, which stays valid. Also without what is left of a secret where a text in it was cut. The same text when it holds
   * no secret.
   */
  text(text: string): string
}

/** Masks nothing. */
const NO_MASK: SecretMask = { find: () => [], bytes: (bytes) => bytes, text: (text) => text }

export function secretMask({ detect, ignore }: SecretSettings = DEFAULT_SECRETS): SecretMask {
  if (!detect) return NO_MASK
  const ignored = new Set(ignore)
  const isMeant = (bytes: Uint8Array, { rule, from, to }: SecretSpan): boolean =>
    !ignored.has(rule) && !ignored.has(secretIdOf(rule, bytes.subarray(from, to)))
  const find = (bytes: Uint8Array): readonly SecretSpan[] => {
    const spans = findSecrets(bytes)
    return spans.length === 0 || ignored.size === 0 ? spans : spans.filter((span) => isMeant(bytes, span))
  }
  return {
    find,
    bytes: (bytes) => maskSpans(bytes, find(bytes)),
    text(text) {
      const bytes = Buffer.from(text)
      const spans = find(bytes)
      return maskCuts(spans.length === 0 ? text : Buffer.from(maskSpans(bytes, spans)).toString(), ignored)
    },
  }
}

function maskCuts(text: string, ignored: ReadonlySet<string>): string {
  let masked = ''
  let at = 0
  for (const { rule, from, to } of findCutSecrets(text)) {
    if (ignored.has(rule) || from < at) continue
    masked += text.slice(at, from) + maskOf(rule)
    at = to
  }
  return at === 0 ? text : masked + text.slice(at)
}
