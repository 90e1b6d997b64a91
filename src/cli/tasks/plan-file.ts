import { resolve } from 'node:path'
import type { Inputs } from '../../api/contract/operations'
import { AppError } from '../../domain/errors'
import { fileText, stdinText } from '../issues/issue-options'
import type { Context } from '../kit/context'

/** Bytes of a plan: beyond that a server takes no request. */
const PLAN_BYTES = 8_000_000

/**
 * A plan as a file has it: JSON or YAML, an object with `tasks`, or the list of tasks itself. What stands in it is checked by the
 * server.
 *
 * @param file  `-` reads stdin
 * @param folder  where tasks run that name none; `undefined` = where the server finds one for them: the parent's
 * @throws `invalid` `not_found` `too_large`
 */
export async function readPlan(
  context: Context,
  file: string,
  folder: string | undefined,
): Promise<Inputs['plans']['create']> {
  const text = file === '-' ? await stdinText(context, PLAN_BYTES) : fileText(resolve(context.io.cwd, file), PLAN_BYTES)
  const found = parse(text, file)
  const plan = Array.isArray(found) ? { tasks: found } : found
  if (plan === null || typeof plan !== 'object' || !Array.isArray((plan as { tasks?: unknown }).tasks))
    throw new AppError('invalid', `${nameOf(file)} is not a plan.`, {
      hint: 'A plan is a list of tasks, or {title, tasks}. Each task has a key and a task text, and dependsOn if it waits for others.',
    })
  const { tasks, ...rest } = plan as { tasks: unknown[] }
  // The shape is checked where it arrives; here only folders are completed, since only we know where we are.
  return {
    source: 'cli',
    ...rest,
    tasks: tasks.map((task) => placed(task, folder, context.io.cwd)),
  } as Inputs['plans']['create']
}

const nameOf = (file: string) => (file === '-' ? 'Stdin' : file)

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // People write YAML.
  }
  try {
    return Bun.YAML.parse(text)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split('\n', 1)[0] : String(thrown)
    throw new AppError('invalid', `${nameOf(file)} is neither JSON nor YAML: ${why}`)
  }
}

function placed(task: unknown, folder: string | undefined, cwd: string): unknown {
  if (task === null || typeof task !== 'object' || Array.isArray(task)) return task
  const { dir, parentTaskId } = task as { dir?: unknown; parentTaskId?: unknown }
  if (typeof dir === 'string') return { ...task, dir: resolve(cwd, dir) }
  return dir === undefined && parentTaskId === undefined && folder !== undefined ? { ...task, dir: folder } : task
}
