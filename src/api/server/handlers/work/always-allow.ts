import { AppError } from '../../../../domain/errors'
import { questionId } from '../../../../domain/ids'
import { questions } from '../../../contract/operations/attempts'
import { handle } from '../../handler'

/** Writes the rule before it answers: a call is never let through by a rule that is not there. */
export const alwaysAllow = handle(questions.alwaysAllow, async ({ caller, params, body }, { services, store }) => {
  const id = questionId(params.id)
  const question = await store.tasks.findQuestion(id)
  if (question === undefined)
    throw new AppError('not_found', `There is no question ${JSON.stringify(id)}.`, {
      hint: 'Run `lode question list` to see the open questions.',
    })
  if (question.status !== 'open') throw new AppError('conflict', `Question ${id} is already ${question.status}.`)
  const { rule } = body
  if (!question.alwaysRules.includes(rule))
    throw new AppError('invalid', `The rule ${JSON.stringify(rule)} is none of those that this question offers.`, {
      hint:
        question.alwaysRules.length === 0
          ? 'No rule lets just this call through. Allow it once.'
          : `Choose one: ${question.alwaysRules.join(' · ')}`,
    })
  const attempt = (await store.tasks.attempts(question.taskId)).find((one) => one.id === question.attemptId)
  if (attempt === undefined || attempt.hostName !== services.followedRoots().hostName)
    throw new AppError(
      'conflict',
      `The run is on ${attempt?.host ?? 'another machine'}, whose settings can't be changed from here.`,
      {
        hint: `Allow it once, or run this there: lode config set worker.allow ${JSON.stringify(rule)}`,
      },
    )
  const { file } = await services.addAllowRule(rule)
  return { question: await services.tasks.answer(caller, id, { behavior: 'allow', isAlways: true }), rule, file }
})
