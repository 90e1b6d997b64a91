import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isAppError } from '../../../domain/errors'
import { parseArgs } from './parse-args'
import type { ArgSpec, OptionSpecs } from './specs'

const OPTIONS = {
  yes: { kind: 'flag', short: 'y', help: 'h' },
  follow: { kind: 'flag', short: 'f', help: 'h' },
  wrap: { kind: 'flag', help: 'h', isDefault: true },
  to: { kind: 'text', short: 't', value: 'DIR', help: 'h' },
  status: { kind: 'text', value: 'S', help: 'h', isRepeated: true, choices: ['running', 'ended'] },
  limit: { kind: 'number', short: 'n', value: 'N', help: 'h', min: 1, max: 1_000, fallback: 50 },
  offset: { kind: 'number', value: 'N', help: 'h', min: -5, max: 5 },
} as const satisfies OptionSpecs
const ONE: ArgSpec[] = [{ name: 'ID', help: 'the id' }]
const MANY: ArgSpec[] = [...ONE, { name: 'PATH', help: 'a path', isOptional: true, isRepeated: true }]

const parse = (words: string[], args: readonly ArgSpec[] = MANY) =>
  parseArgs(words, { path: 'lode x', args, options: OPTIONS })
const options = (...words: string[]): Record<string, unknown> => parse(['id', ...words]).input.options
function refusal(words: string[], args: readonly ArgSpec[] = MANY): string {
  try {
    parse(words, args)
  } catch (error) {
    if (isAppError(error) && error.code === 'invalid' && error.hint?.includes('lode x --help')) return error.message
    throw error
  }
  throw new Error('was not refused')
}

describe('options', () => {
  test('have their defaults when nothing is said', () => {
    expect(options()).toEqual({
      yes: false,
      follow: false,
      wrap: true,
      to: undefined,
      status: [],
      limit: 50,
      offset: undefined,
    })
  })
  test('take their value after a blank, after =, or joined to the letter', () => {
    for (const words of [['--to', 'a b'], ['--to=a b'], ['-t', 'a b'], ['-ta b'], ['-t=a b']]) {
      expect(options(...words).to).toBe('a b')
    }
    expect(options('--to=').to).toBe('')
    expect(options('--to=a=b').to).toBe('a=b')
    expect(options('--to', '--yes')).toMatchObject({ to: '--yes', yes: false })
  })
  test('of one letter may be joined, the last one with its value', () => {
    expect(options('-yfn7')).toMatchObject({ yes: true, follow: true, limit: 7 })
  })
  test('that are flags can be switched off by --no- or a value', () => {
    expect(options('--no-wrap').wrap).toBe(false)
    expect(options('--yes=true', '--wrap=no')).toMatchObject({ yes: true, wrap: false })
    expect(refusal(['id', '--yes=perhaps'])).toContain('--yes takes no value')
  })
  test('that repeat keep every value; others refuse a second one', () => {
    expect(options('--status', 'running', '--status=ended').status).toEqual(['running', 'ended'])
    expect(refusal(['id', '--to', 'a', '--to', 'b'])).toBe('Pass --to only once.')
  })
  test('mix with arguments, until --', () => {
    const { input } = parse(['-y', 'id', '--to', 'd', 'p', '--', '--limit', '-x'])
    expect(input).toMatchObject({ args: ['id', 'p', '--limit', '-x'], options: { yes: true, to: 'd', limit: 50 } })
  })
  test('that every command has are told apart from its own', () => {
    expect(parse(['id', '--json', '--home=/h', '-q', '--no-color']).globals).toMatchObject({
      json: true,
      home: '/h',
      quiet: true,
      color: false,
    })
  })
})

describe('a mistake', () => {
  test('in a name gets the nearest one', () => {
    expect(refusal(['id', '--limt=3'])).toBe("Unknown option --limt. Did you mean '--limit'?")
    expect(refusal(['id', '--zzzzzz'])).toBe('Unknown option --zzzzzz.')
    expect(refusal(['id', '-Z'])).toBe('Unknown option -Z.')
    expect(refusal(['id', '--no-to'])).toContain('Unknown option --no-to.')
    expect(refusal(['id', '--constructor=1'])).toContain('Unknown option --constructor.')
    expect(refusal(['id', '--__proto__=1'])).toContain('Unknown option --__proto__.')
  })
  test('in a value says what would be right', () => {
    expect(refusal(['id', '--limit=0'])).toBe('--limit must be 1 to 1000, not 0.')
    expect(refusal(['id', '--limit=1e3'])).toBe("--limit needs a whole number, not '1e3'.")
    expect(refusal(['id', '-n'])).toBe('-n (--limit) needs a value (N).')
    expect(refusal(['id', '--to'])).toBe('--to needs a value (DIR).')
    expect(refusal(['id', '--status=runing'])).toBe(
      "--status must be one of running, ended, not 'runing'. Did you mean 'running'?",
    )
    expect(options('--offset', '-5', '--limit=1_000')).toMatchObject({ offset: -5, limit: 1_000 })
  })
  test('in the number of arguments names the missing or the first extra one', () => {
    expect(refusal([])).toBe('Missing ID: the id.')
    expect(refusal(['a', 'b'], ONE)).toBe("Unexpected argument 'b'.")
    expect(refusal([''], ONE)).toBe('ID is empty.')
  })
  test('in an ID that an option takes names the option', () => {
    const ids = {
      session: { kind: 'text', value: 'ID', help: 'h', complete: 'session' },
      parent: { kind: 'text', value: 'ID', help: 'h', complete: 'task' },
    } as const satisfies OptionSpecs
    const refused = (word: string) => () => parseArgs([word], { path: 'lode x', args: [], options: ids })
    const session = '6048541a-a1ac-43e2-91fd-38e4f812f221'
    expect(refused(session)).toThrow(`Did you mean '--session ${session}'?`)
    expect(refused('t-dr2fhkmv')).toThrow("Did you mean '--parent t-dr2fhkmv'?")
    for (const word of ['open', 'ld-a1b2', 'x'.repeat(500)]) expect(refused(word)).not.toThrow('Did you mean')
  })
})

test('any words are parsed or refused, never worse', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '--',
      '-',
      '--limit',
      '-n',
      '--to=',
      '--no-yes',
      '--no-',
      '--=',
      '-yn',
      '--json',
      '--help',
      '\0',
      '-1',
    ),
  )
  fc.assert(
    fc.property(fc.array(word), (words) => {
      try {
        const { input } = parse(words)
        expect(typeof input.options.limit).toBe('number')
      } catch (error) {
        expect(isAppError(error) && error.code).toBe('invalid')
      }
    }),
    { numRuns: 2_000 },
  )
})
