import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

export const sumCosts: Handler<'costs'> = () => {
  throw new AppError('internal', 'not there yet')
}
