import { resolve } from 'node:path'
import type { Client } from '../../api/client/client'
import { AppError } from '../../domain/errors'
import { actorOf } from '../issues/git-user'
import type { OptionSpecs } from '../kit/arguments/specs'
import type { Context } from '../kit/context'

/** Options of commands about the to-dos of one session. */
export const SESSION_OPTION = {
  session: {
    kind: 'text',
    short: 's',
    value: 'ID',
    complete: 'session',
    help: 'the session (default: the calling session)',
  },
} as const satisfies OptionSpecs

/** Options of those that name issues too. */
export const TODO_SCOPE = {
  ...SESSION_OPTION,
  dir: {
    kind: 'text',
    short: 'C',
    value: 'DIR',
    complete: 'folder',
    help: 'a folder of the project (default: this folder)',
  },
  actor: {
    kind: 'text',
    value: 'NAME',
    help: "the name to act as (default: $BEADS_ACTOR, git's user.name, the login name)",
  },
} as const satisfies OptionSpecs

/** Which tracker is meant, and who acts: what requests that name issues say. */
export interface TodoScope {
  dir?: string
  actor?: string
}

/**
 * Who answers about to-dos.
 * @throws `conflict` they are switched off
 */
export async function openTodos(
  context: Context,
  { dir, actor }: { dir?: string | undefined; actor?: string | undefined } = {},
): Promise<{ client: Client; scope: TodoScope; where: Pick<TodoScope, 'dir'> }> {
  if (!context.config().todos.enabled)
    throw new AppError('conflict', 'To-dos are switched off (todos.enabled is false).', {
      hint: "They are still recorded; 'lode config set todos.enabled true' shows them again.",
    })
  const { client, isRemote } = await context.connection()
  const { io } = context
  // Paths of this machine mean nothing to another.
  const folder = dir === undefined ? (isRemote ? undefined : io.cwd) : isRemote ? dir : resolve(io.cwd, dir)
  const who = actor ?? actorOf(io)
  const where = folder === undefined ? {} : { dir: folder }
  return { client, scope: { ...where, ...(who !== undefined && { actor: who }) }, where }
}
