import { AppError } from '../../domain/errors'
import type { QuestionId } from '../../domain/ids'
import { alwaysRules } from '../../domain/policy/always-rule'
import { dangersOf } from '../../domain/policy/danger'
import type { Question } from '../../domain/task/task'
import { TASK_LIMITS, TASK_RANGES } from '../../domain/task/task-limits'
import type { AttemptRow, QuestionRow, TaskRow } from '../../domain/task/task-store'
import { recordAct } from '../audit/record-act'
import { dropQuestion, produceQuestion } from '../mail/produce'
import { getAgent, quoted } from '../unit/find-task'
import { mayAnswer } from '../unit/rights'
import { hashOf, newQuestionId } from '../unit/secrets'
import { nameOf, type Unit } from '../unit/unit'
import { checkText, checkWhole } from './check-fields'
import type { AskQuestion } from './task-inputs'

/** Characters of a tool's input that are kept. */
const INPUT_LIMIT = 20_000

/** Asks about a tool call; asked again about the same call, gives the question that stands. */
export async function askQuestion(
  unit: Unit,
  task: TaskRow,
  attempt: AttemptRow,
  asked: AskQuestion,
): Promise<Question> {
  const { key: attemptKey } = attempt
  const deadlineMs = checkWhole('deadlineMs', asked.deadlineMs, TASK_RANGES.questionMs)
  const input = JSON.stringify(asked.input ?? null)
  const hash = callHash(asked.toolName, input)
  if (asked.toolUseId !== null) {
    const open = await unit.tasks.openQuestions({ attempt: attemptKey })
    for (const same of open.filter(({ toolUseId }) => toolUseId === asked.toolUseId)) {
      if (same.callHash === hash) return shownQuestion(same, task, attempt)
      // An id says nothing of what is called: an answer to the one must not let the other through.
      await withdraw(unit, task, attempt, same, 'another call uses the same ID')
    }
  }
  const row: QuestionRow = {
    id: newQuestionId(unit.random),
    attemptKey,
    taskKey: task.key,
    toolUseId: asked.toolUseId === null ? null : checkText('toolUseId', asked.toolUseId, TASK_LIMITS.word),
    toolName: checkText('toolName', asked.toolName, TASK_LIMITS.word),
    input: input.length > INPUT_LIMIT ? input.slice(0, INPUT_LIMIT) : input,
    isCut: input.length > INPUT_LIMIT,
    description: asked.description?.slice(0, 2_000) ?? null,
    status: 'open',
    default: asked.default,
    deadline: unit.now + deadlineMs,
    behavior: null,
    message: null,
    answeredBy: null,
    askedAt: unit.now,
    answeredAt: null,
    isTaken: false,
    callHash: hash,
  }
  await unit.tasks.insertQuestion(row)
  await publishQuestion(unit, row, attempt, 'open')
  await produceQuestion(unit, task, row)
  return shownQuestion(row, task, attempt)
}

/**
 * @param answer  `isAlways`: with a rule for such calls; `channel`: the notification by whose button a person answered
 * @throws `not_found` · `forbidden` neither operator, lead nor maker of the task · `conflict` answered otherwise, expired or withdrawn
 */
export async function answerQuestion(
  unit: Unit,
  id: QuestionId,
  answer: { behavior: 'allow' | 'deny'; message?: string | undefined; isAlways?: boolean; channel?: string },
): Promise<void> {
  const question = await unit.tasks.question(id)
  const task = question && (await unit.tasks.taskByKey(question.taskKey))
  if (question === undefined || task === undefined)
    throw new AppError('not_found', `There is no question ${quoted(id)}.`, {
      hint: 'Run `lode question list` to see the open questions.',
    })
  await mayAnswer(unit, task, question, answer.behavior)
  const message = answer.message === undefined ? null : checkText('message', answer.message, TASK_LIMITS.failureReason)
  if (question.status !== 'open') {
    const isSame =
      question.status === 'answered' && question.behavior === answer.behavior && question.message === message
    if (isSame) return
    throw new AppError('conflict', `Question ${id} is already ${question.status}.`, {
      details: { status: question.status, behavior: question.behavior },
    })
  }
  await unit.tasks.updateQuestion(id, {
    status: 'answered',
    behavior: answer.behavior,
    message,
    answeredBy: answer.channel === undefined ? await answererOf(unit) : `the channel ${answer.channel}`,
    answeredAt: unit.now,
  })
  const how = answer.isAlways === true ? 'always' : 'answered'
  await recordAnswer(unit, question, task, answer.behavior, how, answer.channel)
  await unit.feed('question.updated', {
    questionId: id,
    taskId: task.id,
    status: 'answered',
    behavior: answer.behavior,
    by: nameOf(unit.caller),
  })
  await dropQuestion(unit, task, question, 'it was answered')
}

/** The worker was given a rule that answers it: nobody is waited for any more. */
export async function settleByRule(
  unit: Unit,
  task: TaskRow,
  question: QuestionRow,
  behavior: 'allow' | 'deny',
  rule = '',
): Promise<void> {
  await unit.tasks.updateQuestion(question.id, {
    status: 'answered',
    behavior,
    message: rule === '' ? null : `by the worker's rule ${rule}`.slice(0, 4_000),
    answeredBy: 'rule',
    answeredAt: unit.now,
  })
  await recordAnswer(unit, question, task, behavior, 'rule')
  await unit.feed('question.updated', { questionId: question.id, taskId: task.id, status: 'answered', behavior })
  await dropQuestion(unit, task, question, "the worker's rules answered it")
}

/** The deadline passed: what the run said beforehand applies. */
export async function expireQuestion(unit: Unit, question: QuestionRow): Promise<void> {
  const task = await unit.tasks.taskByKey(question.taskKey)
  await unit.tasks.updateQuestion(question.id, {
    status: 'expired',
    behavior: question.default,
    message: 'nobody answered in time',
    answeredBy: 'system',
    answeredAt: unit.now,
  })
  await recordAnswer(unit, question, task, question.default, 'expired')
  const { id: questionId, default: behavior } = question
  await unit.feed('question.updated', { questionId, taskId: task?.id ?? null, status: 'expired', behavior })
  if (task !== undefined) await dropQuestion(unit, task, question, 'nobody answered in time')
}

/** The audit log's line of an answer, whoever gave it: a person, a lead, a rule or the deadline. */
const recordAnswer = (
  unit: Unit,
  { id, toolName }: QuestionRow,
  task: Pick<TaskRow, 'id'> | undefined,
  behavior: 'allow' | 'deny',
  how: 'answered' | 'always' | 'rule' | 'expired',
  channel?: string,
): Promise<void> =>
  recordAct(unit, 'question.answer', {
    target: id,
    detail: { taskId: task?.id ?? null, toolName, behavior, how, ...(channel !== undefined && { channel }) },
  })

/** The author of the answer, by a name that a person knows. */
async function answererOf(unit: Unit): Promise<string> {
  const { caller } = unit
  if (caller.kind === 'agent') return (await getAgent(unit, caller.agentId)).name
  if (caller.kind !== 'attempt') return nameOf(caller)
  const title = (await unit.tasks.task(caller.taskId))?.title ?? ''
  return `the lead ${caller.taskId} "${title.slice(0, 100)}"`
}

/** The run has ended: nobody waits for an answer. */
export async function withdrawQuestions(unit: Unit, task: TaskRow, attempt: AttemptRow): Promise<void> {
  for (const question of await unit.tasks.openQuestions({ attempt: attempt.key }))
    await withdraw(unit, task, attempt, question, 'the run that asked has ended')
}

async function withdraw(unit: Unit, task: TaskRow, attempt: AttemptRow, question: QuestionRow, why: string) {
  await dropQuestion(unit, task, question, why)
  await unit.tasks.updateQuestion(question.id, { status: 'withdrawn', answeredAt: unit.now })
  await publishQuestion(unit, question, attempt, 'withdrawn')
}

/** Tells calls apart also where their inputs are longer than what is kept. */
const callHash = (toolName: string, input: string): string =>
  Buffer.from(hashOf(JSON.stringify([toolName, input]))).toString('hex')

const publishQuestion = (unit: Unit, { id }: QuestionRow, { taskId, id: attemptId }: AttemptRow, status: string) =>
  unit.feed('question.updated', { questionId: id, taskId, attemptId, status })

function shownQuestion(row: QuestionRow, task: TaskRow, attempt: AttemptRow): Question {
  const input = row.isCut ? row.input : (JSON.parse(row.input) as unknown)
  return {
    id: row.id,
    taskId: attempt.taskId,
    attemptId: attempt.id,
    toolUseId: row.toolUseId as Question['toolUseId'],
    toolName: row.toolName,
    input,
    dangers: dangersOf(row.toolName, input, row.isCut),
    alwaysRules: alwaysRules(row.toolName, input, row.isCut, task.dir),
    isCut: row.isCut,
    description: row.description,
    status: row.status,
    default: row.default,
    deadline: new Date(row.deadline).toISOString(),
    answer: row.behavior === null ? null : { behavior: row.behavior, message: row.message },
    answeredBy: row.answeredBy,
    askedAt: new Date(row.askedAt).toISOString(),
    answeredAt: row.answeredAt === null ? null : new Date(row.answeredAt).toISOString(),
  }
}
