import type { Client } from '../../api/client/client'
import { AppError } from '../../domain/errors'
import { PLACE, type Place, placeOf } from '../issues/issue-place'
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
export const TODO_SCOPE = { ...SESSION_OPTION, ...PLACE } as const satisfies OptionSpecs

/**
 * The answering side for to-dos.
 * @throws `conflict` they are switched off
 */
export async function openTodos(
  context: Context,
  named: { dir?: string | undefined; actor?: string | undefined } = {},
): Promise<{ client: Client; scope: Place; where: Pick<Place, 'dir'> }> {
  if (!context.config().todos.enabled)
    throw new AppError('conflict', 'To-dos are switched off (todos.enabled is false).', {
      hint: "They are still recorded; 'lode config set todos.enabled true' shows them again.",
    })
  const { client, isRemote } = await context.connection()
  const scope = placeOf(context.io, isRemote, named)
  return { client, scope, where: scope.dir === undefined ? {} : { dir: scope.dir } }
}
