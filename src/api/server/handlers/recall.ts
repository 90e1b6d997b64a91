import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

/** Gives the text of an attempt's first prompt. */
export const taskPrompt: Handler<'tasks.prompt'> = () => {
  throw new AppError('unavailable', 'prompts are not served yet')
}

/** Gives what an agent is told of its task at a moment. */
export const taskRecall: Handler<'tasks.recall'> = () => {
  throw new AppError('unavailable', 'recalls are not served yet')
}
