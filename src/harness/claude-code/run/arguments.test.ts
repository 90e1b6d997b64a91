import { expect, test } from 'bun:test'
import { AppError } from '../../../domain/errors'
import type { RunArguments } from '../../../domain/harness/harness-run'
import { openArguments, runArguments } from './arguments'

const ID = '0b0c5f0e-6a3a-4b7e-9a55-0f1f6f0a1b2c'
const PLAIN: RunArguments = {
  conversation: { kind: 'new', sessionId: ID },
  model: null,
  permissionMode: null,
  maxTurns: null,
  maxCostUsd: null,
  files: {},
  settingSources: 'user',
  asksPermission: false,
  isBoxed: false,
}
const run = (more: Partial<RunArguments>) => runArguments({ ...PLAIN, ...more })

test('a run has its conversation, its bounds and its files as options, and no prompt', () => {
  expect(
    run({
      conversation: { kind: 'fork', path: '/home/user/x y.jsonl', sessionId: ID.toUpperCase() },
      model: 'opus[1m]',
      permissionMode: 'acceptEdits',
      maxTurns: 12,
      maxCostUsd: 0.5,
      files: { 'settings.json': '/r/settings.json', 'mcp.json': '/r/mcp.json' },
      settingSources: 'user,project,local',
      asksPermission: true,
      tellsPieces: true,
    }),
  ).toEqual([
    '-p',
    '--input-format=stream-json',
    '--output-format=stream-json',
    '--verbose',
    '--replay-user-messages',
    '--include-partial-messages',
    '--resume=/home/user/x y.jsonl',
    '--fork-session',
    `--session-id=${ID}`,
    '--model=opus[1m]',
    '--permission-mode=acceptEdits',
    '--max-turns=12',
    '--max-budget-usd=0.5',
    '--settings=/r/settings.json',
    '--mcp-config=/r/mcp.json',
    '--strict-mcp-config',
    '--setting-sources=user,project,local',
    '--permission-prompt-tool=stdio',
  ])
})

test('a new conversation has our id, a continued one keeps its own', () => {
  expect(run({})).toContain(`--session-id=${ID}`)
  const resumed = run({ conversation: { kind: 'resume', sessionId: ID } })
  expect(resumed).toContain(`--resume=${ID}`)
  expect(resumed.some((word) => word.startsWith('--session-id'))).toBe(false)
})

test('no setting of the person counts when none is named', () => {
  expect(run({ settingSources: '' })).toContain('--setting-sources=')
})

test('an amount is never written in a form that an option parser may not read', () => {
  expect(run({ maxCostUsd: 1e-9 })).toContain('--max-budget-usd=0.000001')
  expect(run({ maxCostUsd: 10 })).toContain('--max-budget-usd=10')
  expect(run({ maxCostUsd: 1.25 })).toContain('--max-budget-usd=1.25')
})

const HOSTILE: [string, Partial<RunArguments>][] = [
  ['a model that looks like an option', { model: '--dangerously-skip-permissions' }],
  ['a model with a newline', { model: 'opus\n--x' }],
  ['an empty model', { model: '' }],
  ['a permission mode with a space', { permissionMode: 'plan --x' }],
  ['a session id that is a path', { conversation: { kind: 'resume', sessionId: '../../etc/passwd' } }],
  ['a session id that is an option', { conversation: { kind: 'new', sessionId: '--continue' } }],
  ['a relative snapshot', { conversation: { kind: 'fork', path: 'x.jsonl', sessionId: ID } }],
  ['settings that are no path', { files: { 'settings.json': '{"hooks":{}}' } }],
  ['a path with NUL', { files: { 'mcp.json': '/a\0b' } }],
  ['no turn', { maxTurns: 0 }],
  ['half a turn', { maxTurns: 1.5 }],
  ['a negative amount', { maxCostUsd: -1 }],
  ['an endless amount', { maxCostUsd: Number.POSITIVE_INFINITY }],
  ['a source that is unknown', { settingSources: 'user,everything' }],
]
test.each(HOSTILE)('%s is refused with a hint', (_name, more) => {
  const refusal = (): AppError => {
    try {
      run(more)
    } catch (error) {
      if (error instanceof AppError) return error
    }
    throw new Error('it was taken')
  }
  expect(refusal().code).toBe('invalid')
  expect(refusal().hint).toBeString()
})

test('no value can become an option of its own', () => {
  const words = run({
    model: 'x --version',
    files: { 'settings.json': '/-p' },
    conversation: { kind: 'resume', sessionId: ID },
  })
  const options = words.filter((word) => word.startsWith('-')).map((word) => word.split('=', 1)[0])
  expect(options).toEqual([
    '-p',
    '--input-format',
    '--output-format',
    '--verbose',
    '--replay-user-messages',
    '--resume',
    '--model',
    '--settings',
    '--strict-mcp-config',
    '--setting-sources',
  ])
})

test('a person opens the conversation in place, or a copy of it', () => {
  expect(openArguments({ resume: ID, fork: false, sessionId: ID, model: null })).toEqual([`--resume=${ID}`])
  expect(openArguments({ resume: '/s.jsonl', fork: true, sessionId: ID, model: 'opus' })).toEqual([
    '--resume=/s.jsonl',
    '--fork-session',
    `--session-id=${ID}`,
    '--model=opus',
  ])
  expect(openArguments({ resume: null, fork: false, sessionId: ID, model: null })).toEqual([`--session-id=${ID}`])
  expect(() => openArguments({ resume: null, fork: true, sessionId: null, model: null })).toThrow('no conversation')
  expect(() => openArguments({ resume: '-x', fork: false, sessionId: null, model: null })).toThrow(AppError)
})
