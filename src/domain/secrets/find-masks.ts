import { SECRET_RULE_NAMES, type SecretRuleName } from './rules'

/** The masks of one form of secret. */
export interface MaskedForm {
  rule: SecretRuleName
  /** A secret that stands in three places counts three times. */
  count: number
  /** The first turns that have it, by number. */
  turns: number[]
}

/** Turns that are listed of a form. */
const SHOWN_TURNS = 20

const MASK = new RegExp(`\\[secret: (${SECRET_RULE_NAMES.join('|')})\\]`, 'g')

/** Counts the masks in the texts of turns, by the form of the secret. */
export function findMasks(texts: Iterable<{ turn: number; text: string }>): MaskedForm[] {
  const found = new Map<string, MaskedForm>()
  for (const { turn, text } of texts)
    for (const [, name = ''] of text.matchAll(MASK)) {
      const rule = name as SecretRuleName
      const of = found.get(rule) ?? { rule, count: 0, turns: [] }
      found.set(rule, of)
      of.count++
      if (of.turns.at(-1) !== turn && of.turns.length < SHOWN_TURNS) of.turns.push(turn)
    }
  return [...found.values()].sort((a, b) => b.count - a.count || a.rule.localeCompare(b.rule))
}
