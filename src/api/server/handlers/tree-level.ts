import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

export const treeLevel: Handler<'tree.level'> = () => {
  throw new AppError('internal', 'not there yet')
}
