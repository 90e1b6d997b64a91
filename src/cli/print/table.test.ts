import { expect, test } from 'bun:test'
import { fields, table } from './table'

interface Row {
  id: string
  n: number
  text: string | null
}
const ROWS: Row[] = [
  { id: 'a', n: 5, text: 'short' },
  { id: 'bcd', n: 12_345, text: 'a title that is far too long for a narrow terminal' },
  { id: 'e', n: 0, text: null },
]
const draw = (columns: number, rows: Row[] = ROWS) =>
  table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'N', cell: (row) => String(row.n), align: 'right' },
      { title: 'TEXT', cell: (row) => row.text, flexible: 10 },
    ],
    columns,
  )

test('columns stand below one another, numbers on the right, and only the flexible one is cut', () => {
  expect(draw(30)).toBe(
    ['ID       N  TEXT', 'a        5  short', 'bcd  12345  a title that is...', 'e        0  -', ''].join('\n'),
  )
})

test('without a terminal nothing is cut', () => {
  expect(draw(0)).toContain('a title that is far too long for a narrow terminal\n')
})

test('columns without a value go first where the terminal is narrow, then spare ones, then the widest is cut', () => {
  const specs = [
    { title: 'ID', cell: (row: Row) => row.id },
    { title: 'NONE', cell: () => null, spare: 1 },
    { title: 'AGE', cell: () => '4d', spare: 3 },
    { title: 'COST', cell: () => '$0.10', spare: 2 },
    { title: 'TEXT', cell: (row: Row) => row.text, flexible: 10 },
  ]
  const header = (columns: number) => table(ROWS, specs, columns).split('\n')[0]
  expect(header(100)).toBe('ID   NONE  AGE  COST   TEXT')
  expect(header(32)).toBe('ID   AGE  COST   TEXT')
  expect(header(24)).toBe('ID   COST   TEXT')
  expect(header(16)).toBe('ID   TEXT')
  for (const columns of [13, 16, 20, 24, 27, 32, 40, 70])
    for (const line of table(ROWS, specs, columns).split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
})

test('no rows give no header', () => {
  expect(draw(80, [])).toBe('')
})

test('hostile text can neither command the terminal nor break the layout', () => {
  const text = draw(0, [{ id: '\u001b[2J', n: 1, text: 'a\nb\u0007\u202e' }])
  expect(text).toBe('ID  N  TEXT\n    1  a b\\x07\n')
})

test('fields leave out what is not known', () => {
  expect(
    fields([
      ['a', 'x'],
      ['long', null],
      ['bcd', 'y\nz'],
    ]),
  ).toBe('a    x\nbcd  y z\n')
})

test('a last column that wraps goes on below, and loses nothing', () => {
  const text = table(
    [{ key: 'a', help: 'one two three four' }],
    [
      { title: 'KEY', cell: (row) => row.key },
      { title: 'HELP', cell: (row) => row.help, flexible: 8, wraps: true },
    ],
    16,
  )
  expect(text).toBe('KEY  HELP\na    one two\n     three four\n')
})
