import { readTimeZone, type TimeZone, UTC } from '../../../domain/cost/zone-days'
import { AppError } from '../../../domain/errors'

/** The zone whose days a request means; UTC if it names none. @throws `invalid` */
export function checkTimeZone(name: string | undefined): TimeZone {
  const zone = name === undefined ? UTC : readTimeZone(name)
  if (zone !== undefined) return zone
  throw new AppError('invalid', `Unknown time zone ${JSON.stringify(name)}.`, {
    hint: 'Use a name of the IANA database, such as Europe/Berlin or UTC.',
  })
}
