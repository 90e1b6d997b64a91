import type { AppError } from '../../domain/errors'
import type { Io } from '../kit/io'
import { json } from '../print/print'
import { oneLine } from '../print/text'

/** Fails as bd does: one line on stderr, with `--json` one object. @returns the exit code, always 1 */
export function failAsBd(io: Io, { message, code, hint }: AppError, isJson: boolean): number {
  const body = { error: message, code, ...(hint !== undefined && { hint }), schema_version: 1 }
  const words = `Error: ${oneLine(message)}${hint === undefined ? '' : ` ${oneLine(hint)}`}`
  io.err(isJson ? json(body, false) : `${words}\n`)
  return 1
}
