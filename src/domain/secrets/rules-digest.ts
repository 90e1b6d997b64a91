import { sha256Hex } from '../../util/crypto'
import type { SecretSettings } from './mask'
import { SECRET_RULES } from './rules'

/** Tells one set of rules and exceptions from another: what was looked through with others is looked through again. */
export function rulesDigest({ ignore }: SecretSettings): string {
  const forms = Object.entries(SECRET_RULES).map(([name, { form, starts }]) => [name, form.source, starts])
  return sha256Hex(JSON.stringify([forms, [...ignore].sort()])).slice(0, 16)
}
