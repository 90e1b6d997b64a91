import { existsSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import { TASK_LIMITS } from '../../domain/task/task-limits'
import type { ArgSpec, OptionSpecs, OptionValues } from '../kit/arguments/specs'
import type { Connection, Context } from '../kit/context'
import { oneLine } from '../print/text'
import { TASK_OPTIONS, taskFields } from './task-options'
import { noteUnknownClis } from './unknown-clis'

/** The task's text as an argument. */
export const TEXT_ARG: ArgSpec = { name: 'TEXT', help: 'what to do; - reads it from stdin' }

/** The options of a command that creates one task. */
export const CREATE_OPTIONS = {
  ...TASK_OPTIONS,
  parent: {
    kind: 'text',
    value: 'TASK',
    complete: 'task',
    help: 'the task to follow up: continue its conversation in its folder',
  },
  fresh: { kind: 'flag', help: 'with --parent: create a child task in a new conversation' },
  continue: { kind: 'flag', help: "with --parent: continue the parent's conversation (the default for people)" },
  worktree: { kind: 'flag', help: 'work in a new Git worktree and branch' },
  base: {
    kind: 'text',
    value: 'REF',
    help: 'with --worktree or --repository: the start point of the branch (default HEAD)',
  },
  offer: {
    kind: 'text',
    value: 'AGENT',
    complete: 'agent',
    help: 'offer it to this agent, which may accept or reject it',
  },
  key: {
    kind: 'text',
    value: 'TEXT',
    help: 'idempotency key: the same key creates the task only once',
  },
} as const satisfies OptionSpecs

type CreateValues = OptionValues<typeof CREATE_OPTIONS>

/**
 * What was typed, as a request. The task's folder is the one that the command stands in, unless a parent gives its own or the
 * server is on another machine.
 *
 * @throws `invalid`  options that contradict one another; `not_found` the parent; `too_large`
 */
export async function createRequest(context: Context, connection: Connection, text: string, options: CreateValues) {
  const { io } = context
  const { parent, fresh, worktree, base } = options
  const wrong = (message: string) => new AppError('invalid', message, { hint: `Run '${context.path} --help'.` })
  if (fresh && options.continue) throw wrong('Use either --fresh or --continue, not both.')
  if (parent === undefined && (fresh || options.continue || options['continue-now']))
    throw wrong('--fresh, --continue and --continue-now need --parent.')
  const fields = taskFields(options, io)
  if (base !== undefined && !worktree && fields.repository === undefined)
    throw wrong('--base needs --worktree or --repository.')
  await noteUnknownClis(context, fields.agentClis)
  if (fields.dir !== undefined && !connection.isRemote && !existsSync(fields.dir))
    context.note(`there is no folder ${oneLine(fields.dir)} here: only a worker on another machine can do this task.`)
  // The API takes one that nobody knows, and the task starts fresh; a person who typed it means one that is there.
  const above = parent === undefined ? undefined : (await connection.client.tasks.get(parent)).task.id
  const isHere = parent === undefined && !connection.isRemote && fields.repository === undefined
  return {
    ...fields,
    dir: fields.dir ?? (isHere ? io.cwd : undefined),
    task: await taskText(context, text),
    source: 'cli',
    parentTaskId: above,
    continuity: fresh ? ('fresh' as const) : options.continue ? ('continue' as const) : undefined,
    worktree: base !== undefined ? { base } : worktree || undefined,
    offeredTo: options.offer,
  }
}

/** UTF-8 takes at most three bytes for each UTF-16 unit that the limit counts. */
const TEXT_BYTES = TASK_LIMITS.text * 3

/** An argument, or with `-` what stands on stdin. */
export async function taskText(context: Context, text: string): Promise<string> {
  if (text !== '-') return text
  const { io } = context
  if (io.isInTerminal) context.note('type the text, then press Ctrl-D.')
  const read = (await io.readInput(TEXT_BYTES)).trim()
  if (read === '') throw new AppError('invalid', 'Stdin is empty.')
  return read
}
