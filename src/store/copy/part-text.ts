import { AppError } from '../../domain/errors'
import type { CopiedValue, TablePart } from './table-part'

/** A part as lines of JSON: the names of the columns, then one array for each row. Bytes are `{"b": base64}`, large integers `{"i": digits}`. */
export function encodePart({ columns, rows }: TablePart): Uint8Array {
  const lines = [JSON.stringify(columns)]
  for (const row of rows) lines.push(JSON.stringify(row.map(encodeValue)))
  return Buffer.from(`${lines.join('\n')}\n`)
}

/** @throws `invalid` for bytes that `encodePart` did not make */
export function decodePart(table: string, bytes: Uint8Array): TablePart {
  try {
    const [head = '', ...lines] = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split('\n')
    if (lines.pop() !== '') throw new Error('it does not end with a line')
    const columns: unknown = JSON.parse(head)
    if (!Array.isArray(columns) || !columns.every((name) => typeof name === 'string')) throw new Error('no columns')
    return { table, columns, rows: lines.map((line) => decodeRow(JSON.parse(line), columns.length)) }
  } catch (cause) {
    throw new AppError('invalid', `The rows of the table ${JSON.stringify(table.slice(0, 100))} can't be read.`, {
      cause,
    })
  }
}

function encodeValue(value: CopiedValue): unknown {
  if (value instanceof Uint8Array)
    return { b: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') }
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : { i: String(value) }
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new AppError('internal', 'The database holds a number that is not finite.')
  return value
}

function decodeRow(row: unknown, length: number): CopiedValue[] {
  if (!Array.isArray(row) || row.length !== length) throw new Error('a row has not one value for each column')
  return row.map(decodeValue)
}

function decodeValue(value: unknown): CopiedValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'object') {
    if ('b' in value && typeof value.b === 'string') return new Uint8Array(Buffer.from(value.b, 'base64'))
    if ('i' in value && typeof value.i === 'string') return BigInt(value.i)
  }
  throw new Error('a value of no known type')
}
