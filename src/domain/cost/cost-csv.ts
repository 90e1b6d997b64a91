import type { CostsOverTime } from './cost'

/**
 * Costs over time as lines of CSV (RFC 4180), one for each period and stack.
 *
 * A spreadsheet takes a field that begins with one of `=+-@` for a formula; names are strangers' words, so those get an apostrophe.
 */
export function costsAsCsv({ stacks, periods }: Pick<CostsOverTime, 'stacks' | 'periods'>): string[] {
  const rows = periods.flatMap(({ begin, parts }) =>
    parts.map(({ stack, costUsd, tokens }) => [
      begin,
      stacks[stack]?.label ?? '',
      costUsd === null ? '' : String(costUsd),
      String(tokens),
    ]),
  )
  return [['begin', 'of', 'usd', 'tokens'], ...rows].map((row) => `${row.map(field).join(',')}\r\n`)
}

function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
