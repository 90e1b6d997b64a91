import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

export const makeCode: Handler<'login.code'> = () => {
  throw new AppError('internal', 'not there yet')
}
export const logIn: Handler<'login'> = () => {
  throw new AppError('internal', 'not there yet')
}
export const logOut: Handler<'logout'> = () => {
  throw new AppError('internal', 'not there yet')
}
export const whoAmI: Handler<'me'> = () => {
  throw new AppError('internal', 'not there yet')
}
