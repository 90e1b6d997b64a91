import { createHash } from 'node:crypto'
import type { SecretSettings } from './mask'
import { SECRET_RULES } from './rules'

/** Tells one set of rules and exceptions from another: what was looked through with others is looked through again. */
export function rulesDigest({ ignore }: SecretSettings): string {
  const forms = Object.entries(SECRET_RULES).map(([name, { form, starts }]) => [name, form.source, starts])
  return createHash('sha256')
    .update(JSON.stringify([forms, [...ignore].sort()]))
    .digest('hex')
    .slice(0, 16)
}
