import { AppError } from '../../../domain/errors'
import { IDEMPOTENCY_HEADER } from '../../contract/protocol'

/** The key of a create. @throws `invalid` when it is none */
export function idempotencyKey(request: Request): string | null {
  const key = request.headers.get(IDEMPOTENCY_HEADER)
  if (key === null) return null
  if (/^[\x20-\x7e]{1,200}$/.test(key)) return key
  throw new AppError('invalid', `${IDEMPOTENCY_HEADER} must be 1 to 200 printable ASCII characters.`)
}
