import { AppError } from '../../../domain/errors'
import type { HarnessRun, RunArguments } from '../../../domain/harness/harness-run'
import { isMode, MODES } from '../../tool-gate/modes'

/** Name of the file of a run: the plugin that asks us. */
export const PLUGIN_FILE = 'opencode-plugin.js'

/** argv of a run: all else is said over the protocol. @throws `invalid` a value that the CLI does not take */
export function runArguments({ permissionMode, model }: Pick<RunArguments, 'permissionMode' | 'model'>): string[] {
  if (permissionMode !== null && !isMode(permissionMode))
    throw new AppError('invalid', `permissionMode can't be ${JSON.stringify(permissionMode)} in opencode.`, {
      hint: `Give one of ${MODES.join(', ')}.`,
    })
  if (model !== null) checkedModel(model)
  return ['acp']
}

/** argv for a person at a terminal. */
export const openArguments: HarnessRun['openArguments'] = ({ resume, fork, model }) => {
  if (fork && resume === null)
    throw new AppError('invalid', 'There is no conversation to fork.', {
      hint: 'Give the conversation to resume as well.',
    })
  return [
    ...(resume === null ? [] : ['--session', checkedId(resume)]),
    ...(fork ? ['--fork'] : []),
    ...(model === null ? [] : ['--model', checkedModel(model)]),
  ]
}

/** An id of a session of the CLI. @throws `invalid` */
export function checkedId(id: string): string {
  if (/^ses_[A-Za-z0-9]{1,100}$/.test(id)) return id
  throw new AppError('invalid', `${JSON.stringify(id.slice(0, 100))} is not a session ID of opencode.`, {
    hint: 'It begins with ses_.',
  })
}

/** @throws `invalid` what could be taken for an option */
function checkedModel(model: string): string {
  if (/^[\w][\w.@:-]{0,100}\/[\w][\w.@:/-]{0,200}$/.test(model)) return model
  throw new AppError('invalid', `${JSON.stringify(model.slice(0, 100))} is not the name of a model of opencode.`, {
    hint: 'Give provider and model, such as anthropic/claude-sonnet-4-5.',
  })
}
