import { isAbsolute } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { HarnessRun, RunArguments } from '../../../domain/harness/harness-run'
import { uuidOf } from '../../json-lines/json-value'

/** Names of the files of a run: its hooks and bounds, and its MCP servers. */
export const SETTINGS_FILE = 'settings.json'
export const MCP_FILE = 'mcp.json'

/**
 * argv of a run, without the executable. Every value is glued to its option (`--model=x`), so none can be taken for an option,
 * whatever it begins with; the prompt goes in by the run's input and never stands here.
 *
 * @throws `invalid` a value that no release takes
 */
export function runArguments(options: RunArguments): string[] {
  return [
    '-p',
    '--input-format=stream-json',
    '--output-format=stream-json',
    // Without it the CLI refuses the output format.
    '--verbose',
    // Echoes each of our lines once the conversation has it.
    '--replay-user-messages',
    // The model's words as it writes them; a line of the transcript has them only once they are whole.
    ...(options.tellsPieces ? ['--include-partial-messages'] : []),
    ...conversationArguments(options.conversation),
    ...(options.model === null ? [] : [`--model=${word('model', options.model)}`]),
    ...(options.permissionMode === null ? [] : [`--permission-mode=${permissionMode(options.permissionMode)}`]),
    ...(options.maxTurns === null ? [] : [`--max-turns=${count('maxTurns', options.maxTurns)}`]),
    ...(options.maxCostUsd === null ? [] : [`--max-budget-usd=${amount('maxCostUsd', options.maxCostUsd)}`]),
    ...fileArgument('--settings', options.files[SETTINGS_FILE]),
    ...fileArgument('--mcp-config', options.files[MCP_FILE]),
    // No server of a repository, whose tools could bear the names of ours.
    '--strict-mcp-config',
    `--setting-sources=${settingSources(options.settingSources)}`,
    ...(options.asksPermission ? ['--permission-prompt-tool=stdio'] : []),
  ]
}

/** argv for a person at a terminal. */
export const openArguments: HarnessRun['openArguments'] = ({ resume, fork, sessionId, model }) => {
  if (fork && resume === null)
    throw new AppError('invalid', 'There is no conversation to fork.', {
      hint: 'Give the conversation to resume as well.',
    })
  // The CLI refuses another id for a conversation that it continues in place.
  const ownId = sessionId !== null && (resume === null || fork) ? [`--session-id=${uuid('sessionId', sessionId)}`] : []
  return [
    ...(resume === null ? [] : [`--resume=${isAbsolute(resume) ? path('resume', resume) : uuid('resume', resume)}`]),
    ...(fork ? ['--fork-session'] : []),
    ...ownId,
    ...(model === null ? [] : [`--model=${word('model', model)}`]),
  ]
}

function fileArgument(option: string, file: string | undefined): string[] {
  return file === undefined ? [] : [`${option}=${path(option, file)}`]
}

function conversationArguments(conversation: RunArguments['conversation']): string[] {
  const id = uuid('sessionId', conversation.sessionId)
  if (conversation.kind === 'new') return [`--session-id=${id}`]
  if (conversation.kind === 'resume') return [`--resume=${id}`]
  return [`--resume=${path('path', conversation.path)}`, '--fork-session', `--session-id=${id}`]
}

function refuse(name: string, value: unknown, wanted: string): AppError {
  const shown = JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value)
  return new AppError('invalid', `${name} can't be ${shown}.`, { hint: `Give ${wanted}.` })
}

function uuid(name: string, value: string): string {
  const id = uuidOf(value)
  if (id === undefined) throw refuse(name, value, 'a UUID')
  return id
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out
const CONTROL = /[\u0000-\u001f\u007f]/

/** The CLI passes a model's name on unchecked; one that looks like an option is a mistake of its author. */
function word(name: string, value: string): string {
  if (value === '' || value.length > 200 || value.startsWith('-') || CONTROL.test(value) || value !== value.trim())
    throw refuse(name, value, 'a name such as `sonnet`')
  return value
}

/** The releases know different modes; each refuses those of others itself. */
function permissionMode(value: string): string {
  if (!/^[a-zA-Z]{1,40}$/.test(value))
    throw refuse('permissionMode', value, 'one of `default`, `acceptEdits`, `plan`, `dontAsk`, `bypassPermissions`')
  return value
}

function count(name: string, value: number): string {
  if (!Number.isSafeInteger(value) || value < 1) throw refuse(name, value, 'a whole number from 1')
  return String(value)
}

function amount(name: string, value: number): string {
  if (!Number.isFinite(value) || value <= 0) throw refuse(name, value, 'an amount above 0')
  // Never in the form 1e-7, and never 0, which means no bound to some.
  return Math.max(value, 0.000001)
    .toFixed(6)
    .replace(/\.?0+$/, '')
}

function path(name: string, value: string): string {
  if (!isAbsolute(value) || value.includes('\0')) throw refuse(name, value, 'an absolute path')
  return value
}

const SOURCES = new Set(['user', 'project', 'local'])

function settingSources(value: string): string {
  const sources = value.split(',').filter((source) => source !== '')
  if (!sources.every((source) => SOURCES.has(source)))
    throw refuse('settingSources', value, '`user`, `project` and `local`, joined by commas, or nothing')
  return sources.join(',')
}
