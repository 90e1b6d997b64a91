import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePriceList, setOwnPrices } from '../domain/cost/price'
import { AppError, isAppError } from '../domain/errors'

/** A person's own prices, in Lodeline's folder. */
export const ownPricesPath = (home: string): string => join(home, 'prices.json')

/** Counts a person's own prices from now on, where there are any. @throws `invalid` the file can't be read as a price list */
export function readOwnPrices(home: string): void {
  const path = ownPricesPath(home)
  try {
    setOwnPrices(parsePriceList(JSON.parse(readFileSync(path, 'utf8'))))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') setOwnPrices(null)
    else if (isAppError(error))
      throw new AppError('invalid', `${path}: ${error.message}`, { ...(error.hint && { hint: error.hint }) })
    else
      throw new AppError(
        'invalid',
        `${path} can't be read: ${error instanceof Error ? error.message : String(error)}`,
        {
          hint: 'Correct the file, or remove it.',
        },
      )
  }
}
