import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

export const sessionRows: Handler<'sessions.rows'> = () => {
  throw new AppError('internal', 'not there yet')
}
export const eventContent: Handler<'sessions.content'> = () => {
  throw new AppError('internal', 'not there yet')
}
