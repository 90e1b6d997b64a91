import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

export const showOverview: Handler<'overview'> = () => {
  throw new AppError('internal', 'not there yet')
}
export const dismissNeed: Handler<'needs.dismiss'> = () => {
  throw new AppError('internal', 'not there yet')
}
