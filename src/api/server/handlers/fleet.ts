import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

export const showFleet: Handler<'fleet'> = () => {
  throw new AppError('internal', 'not there yet')
}
