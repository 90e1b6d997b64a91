import type { Question } from '../../domain/task/task'
import type { Connection, Context } from '../kit/context'
import { duration } from '../print/measures'

/** Tells of each question of a task once, with what to type, until `signal` aborts. Never fails. */
export async function showQuestions(
  context: Context,
  client: Connection['client'],
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const shown = new Set<string>()
  const showNew = async () => {
    const { questions } = await client.questions.list({ taskId: id, status: 'open' }, { signal })
    for (const question of questions.filter((each) => !shown.has(each.id))) {
      shown.add(question.id)
      context.note(questionNote(question, context.io.now()))
    }
  }
  try {
    const { feedHead } = await client.status({ signal })
    await showNew()
    for await (const _ of client.feed.follow({ after: feedHead, kinds: ['question.updated'], taskId: id }, { signal }))
      await showNew()
  } catch (error) {
    if (!signal.aborted) context.note(`can't show questions: ${error instanceof Error ? error.message : error}`)
  }
}

function questionNote(question: Question, now: number): string {
  const left = duration(Math.max(0, Date.parse(question.deadline) - now))
  return `${question.taskId} asks for ${question.toolName}: 'lode question answer ${question.id} allow' or deny (${left}, then ${question.default})`
}
