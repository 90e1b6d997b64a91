import { questionId } from '../../../../domain/ids'
import { questions } from '../../../contract/operations/attempts'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import { checkAgentCli } from '../../find/find-agent-cli'
import { filterTaskId, settle } from '../../find/find-task'
import { handle } from '../../handler'

export const listQuestions = handle(questions.list, async ({ caller, query }, context) => {
  await settle(context)
  const { limit = DEFAULT_PAGE_LIMIT, cursor, taskId, status, agent } = query
  checkAgentCli(agent, context)
  const asked = taskId === undefined ? undefined : await filterTaskId(taskId, context)
  // A run sees its own, whatever it asks for.
  const task = caller.kind === 'attempt' ? caller.taskId : asked
  const page = await context.store.tasks.questions(
    {
      ...(task !== undefined && { taskId: task }),
      ...(status !== undefined && { status }),
      ...(agent !== undefined && { agent }),
    },
    { limit, ...(cursor !== undefined && { cursor }) },
  )
  return { questions: page.rows, nextCursor: page.nextCursor }
})

export const answerQuestion = handle(questions.answer, async ({ caller, params, body }, { services }) => ({
  question: await services.tasks.answer(caller, questionId(params.id), body),
}))
