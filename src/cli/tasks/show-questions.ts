import { toAppError } from '../../domain/errors'
import type { Question } from '../../domain/task/task'
import type { Connection, Context } from '../kit/context'
import { duration } from '../print/measures'
import { askHere } from './ask-here'

/**
 * Reports each question of a task once, until `signal` aborts: with what to type elsewhere, or by asking for the answer here, one after the
 * other. Never fails.
 *
 * @param options.mayAsk  whoever started the command owns the run, so that the answer may be given at its terminal
 * @param options.onOpen  hears of the open questions, the newest first, after each change
 */
export async function showQuestions(
  context: Context,
  client: Connection['client'],
  id: string,
  signal: AbortSignal,
  { mayAsk = false, onOpen }: { mayAsk?: boolean; onOpen?: (open: readonly Question[]) => void } = {},
): Promise<void> {
  const shown = new Map<string, AbortController>()
  let canAsk = mayAsk && context.io.canAsk && !context.globals.isJson && !context.globals.isQuiet
  let asking: Promise<void> = Promise.resolve()

  async function ask(question: Question, over: AbortSignal): Promise<void> {
    if (over.aborted) return
    try {
      if (canAsk) canAsk = await askHere(context, client, question, over)
      if (!canAsk) context.note(questionNote(question, context.io.now()))
    } catch (thrown) {
      // It was answered elsewhere in this moment, or the server is away.
      if (!over.aborted) context.note(toAppError(thrown).message)
    }
  }

  const showNew = async () => {
    const { questions } = await client.questions.list({ taskId: id, status: 'open' }, { signal })
    onOpen?.(questions)
    const open = new Set<string>(questions.map((each) => each.id))
    for (const [known, over] of shown) if (!open.has(known)) over.abort()
    for (const question of questions.toReversed().filter((each) => !shown.has(each.id))) {
      const over = new AbortController()
      shown.set(question.id, over)
      if (!canAsk) context.note(questionNote(question, context.io.now()))
      else asking = asking.then(() => ask(question, AbortSignal.any([signal, over.signal])))
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
  await asking
}

function questionNote(question: Question, now: number): string {
  const left = duration(Math.max(0, Date.parse(question.deadline) - now))
  return `${question.taskId} asks for ${question.toolName}: 'lode question answer ${question.id} allow' or deny (${left}, then ${question.default})`
}
