import { AppError } from '../../../domain/errors'

/** Where a follower that comes back stands. @throws `invalid` */
export function lastEventId(request: Request): number | undefined {
  const text = request.headers.get('last-event-id')
  if (text === null || text === '') return undefined
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new AppError('invalid', 'Last-Event-ID is not a cursor of this stream.')
}
