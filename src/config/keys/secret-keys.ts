import { isSecretRule, SECRET_RULE_NAMES } from '../../domain/secrets/rules'
import type { KeySpec } from '../key-spec'
import { parseBoolean, parseWords } from '../parse-values'

/** The settings of secrets in conversations, by key. */
export interface SecretKeySettings {
  'secrets.detect': boolean
  'secrets.ignore': readonly string[]
}

/** Exceptions in one list, at most. */
const MOST_IGNORED = 1_000
/** @see secretIdOf */
const SECRET_ID = /^[0-9a-f]{16}$/

/** They decide what is shown to others, so a repository's file may set none of them. */
export const SECRET_KEYS: { readonly [K in keyof SecretKeySettings]: KeySpec<SecretKeySettings[K]> } = {
  'secrets.detect': {
    help: 'whether secrets in conversations are found and masked in all that is shown; journals keep every byte in either case',
    isProjectSafe: false,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'secrets.ignore': {
    help: "what is no secret: names of rules, and IDs as 'lode secret scan' prints them; off = nothing",
    isProjectSafe: false,
    isLive: false,
    fallback: () => [],
    parse: (value) => {
      const words = parseWords(value, /^[a-z0-9-]{1,40}$/, 'must name rules or IDs of secrets, or be off', MOST_IGNORED)
      const unknown = words.find((word) => !isSecretRule(word) && !SECRET_ID.test(word))
      if (unknown !== undefined)
        throw new Error(
          `names no rule and no ID of a secret: ${unknown}. The rules are ${SECRET_RULE_NAMES.join(', ')}`,
        )
      return words
    },
  },
}
