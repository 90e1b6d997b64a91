import { isAbsolute } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { HarnessRun, RunArguments } from '../../../domain/harness/harness-run'
import { isMode, MODES } from '../../tool-gate/modes'
import { checkedId } from './place'

/** Name of the file of a run: the extension that asks us, and has Lodeline's tools. */
export const EXTENSION_FILE = 'lodeline.cjs'

/** argv of a run, without the executable. No text of a task is among them. @throws `invalid` a value that the CLI does not take */
export function runArguments(options: RunArguments): string[] {
  const { conversation, files, model, permissionMode, settingSources } = options
  if (permissionMode !== null && !isMode(permissionMode))
    throw refuse('permissionMode', permissionMode, `one of ${MODES.map((mode) => `\`${mode}\``).join(', ')}`)
  const extension = files[EXTENSION_FILE]
  return [
    '--mode',
    'rpc',
    // A repository may bring extensions, which are programs.
    '--no-approve',
    ...(settingSources.split(',').includes('user') ? [] : ['--no-extensions', '--no-skills', '--no-prompt-templates']),
    ...(extension === undefined ? [] : ['--extension', path('extension', extension)]),
    ...(model === null ? [] : ['--model', word('model', model)]),
    ...conversationArguments(conversation),
  ]
}

/** An exact id makes the session where there is none of it, so a session that goes on is looked for before. */
function conversationArguments(conversation: RunArguments['conversation']): string[] {
  const id = checkedId(conversation.sessionId)
  if (conversation.kind !== 'fork') return ['--session-id', id]
  return ['--fork', path('path', conversation.path), '--session-id', id]
}

/** argv for a person at a terminal. */
export const openArguments: HarnessRun['openArguments'] = ({ resume, fork, sessionId, model }) => {
  if (fork && resume === null)
    throw new AppError('invalid', 'There is no conversation to fork.', {
      hint: 'Give the conversation to resume as well.',
    })
  const from = resume === null ? null : isAbsolute(resume) ? path('resume', resume) : checkedId(resume)
  const own = sessionId !== null && (from === null || fork) ? ['--session-id', checkedId(sessionId)] : []
  return [
    ...(from === null ? [] : [fork ? '--fork' : '--session', from]),
    ...own,
    ...(model === null ? [] : ['--model', word('model', model)]),
  ]
}

function refuse(name: string, value: unknown, wanted: string): AppError {
  const shown = JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value)
  return new AppError('invalid', `${name} can't be ${shown}.`, { hint: `Give ${wanted}.` })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out
const CONTROL = /[\u0000-\u001f\u007f]/

/** One that looks like an option is a mistake of its author. */
function word(name: string, value: string): string {
  if (value === '' || value.length > 200 || value.startsWith('-') || CONTROL.test(value) || value !== value.trim())
    throw refuse(name, value, 'a name such as `anthropic/claude-sonnet-4-5`')
  return value
}

function path(name: string, value: string): string {
  if (!isAbsolute(value) || value.includes('\0')) throw refuse(name, value, 'an absolute path')
  return value
}
