import { AppError, toAppError } from '../../domain/errors'
import type { SecretMask } from '../../domain/secrets/mask'
import { statusOf } from '../contract/error-codes'
import { ERROR_HEADER, VERSION_HEADER } from '../contract/protocol'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Headers of every answer. Nothing of ours may be kept, framed, sniffed or read by a foreign page. */
export function baseHeaders(version: string): Record<string, string> {
  return {
    [VERSION_HEADER]: version,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  }
}

/** @param mask  hides secrets in the document; `null` = they stay */
export function jsonAnswer(
  value: unknown,
  headers: Record<string, string>,
  { status = 200, mask = null }: { status?: number; mask?: SecretMask | null } = {},
): Response {
  const text = JSON.stringify(value)
  return new Response(mask === null ? text : mask.text(text), {
    status,
    headers: { ...headers, 'content-type': JSON_TYPE },
  })
}

/** The one form of an error on the wire. */
export function errorBody(error: AppError): { error: Record<string, unknown> } {
  const { code, message, hint, details } = error
  return { error: { code, message, ...(hint !== undefined && { hint }), ...(details !== undefined && { details }) } }
}

/**
 * Answers with an error. `isSilent`: without a body, its code in a header. A hook's answer can end up in an agent's prompt, so
 * nothing that is no answer to it may stand there.
 */
export function errorAnswer(
  thrown: unknown,
  base: Record<string, string>,
  { isSilent, mask }: { isSilent: boolean; mask: SecretMask },
): Response {
  const error = toAppError(thrown)
  const status = statusOf(error.code)
  const headers = {
    ...base,
    [ERROR_HEADER]: error.code,
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(status === 503 && { 'retry-after': '1' }),
  }
  if (isSilent) return new Response(null, { status, headers })
  return jsonAnswer(encodable(error), headers, { status, mask })
}

/** An error whose details can't be written as JSON must not become another error. */
function encodable(error: AppError): unknown {
  const body = errorBody(error)
  try {
    JSON.stringify(body)
    return body
  } catch {
    return errorBody(new AppError(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint }))
  }
}
