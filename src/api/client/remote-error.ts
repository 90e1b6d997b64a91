import { AppError } from '../../domain/errors'
import { codeOfStatus, isErrorCode } from '../contract/error-codes'
import { ERROR_HEADER } from '../contract/protocol'

/** An error that the server answered with. Its code, message, hint and details are the server's; the stack is the caller's. */
export class RemoteError extends AppError {
  readonly isRemote = true
  /** HTTP status of the answer. */
  readonly status: number

  constructor(
    status: number,
    error: { code: AppError['code']; message: string; hint?: string; details?: Record<string, unknown> },
  ) {
    super(error.code, error.message, { hint: error.hint, details: error.details })
    this.status = status
  }
}

const MAX_ERROR_TEXT = 65_536

/** Builds the error from an answer that is not ok, whoever wrote it: a body that is not ours gives the status's code. */
export async function readRemoteError(response: Response): Promise<RemoteError> {
  const text = (await response.text().catch(() => '')).slice(0, MAX_ERROR_TEXT)
  return errorFromBody(response.status, parseJson(text)) ?? bareError(response, text)
}

/** An error body (also the last line of a progress stream) as an error; `undefined` when it is none. */
export function errorFromBody(status: number, body: unknown): RemoteError | undefined {
  const error = isRecord(body) && isRecord(body.error) ? body.error : undefined
  if (error === undefined || !isErrorCode(error.code)) return undefined
  return new RemoteError(status, {
    code: error.code,
    message: String(error.message),
    ...(typeof error.hint === 'string' && { hint: error.hint }),
    ...(isRecord(error.details) && { details: error.details }),
  })
}

function bareError(response: Response, text: string): RemoteError {
  const named = response.headers.get(ERROR_HEADER)
  const code = isErrorCode(named) ? named : codeOfStatus(response.status)
  const excerpt = text.trim() === '' ? '' : `: ${text.trim().slice(0, 200)}`
  return new RemoteError(response.status, { code, message: `the server answered ${response.status}${excerpt}` })
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
