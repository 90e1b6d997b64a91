import { AppError } from '../../../domain/errors'
import { messageId, taskOf } from '../../../domain/ids'
import { LastRead } from '../../../domain/last-read'
import type { Attempt } from '../../../domain/task/task'
import { isFinal } from '../../../domain/task/task'
import { TASK_LIMITS } from '../../../domain/task/task-limits'
import type { AttemptPatch, AttemptRow, TaskRow } from '../../../domain/task/task-store'
import type { AttemptEnd, AttemptReport } from '../../../domain/task/worker-protocol'
import type { UnitSubject } from '../../../domain/unit-subject'
import { leaseLost, mayNameConversation, mayReport } from '../../unit/rights'
import { agentOf, type Unit } from '../../unit/unit'
import { checkNativeId } from '../check-fields'
import { settleByRule } from '../questions'
import { knownConversation } from '../work-on-task'
import { endAttempt } from './end-attempt'
import { noteInput } from './mail-of-runs'

/** Lines of log in one report. */
const LOG_LINES = 1_000
const LOG_TEXT = 4_000
/** Reasons in a feed entry; the attempt has them all. */
const MAX_REASONS = 10

/**
 * Takes what a worker reports of an attempt: its parts in the order of `AttemptReport`, all or nothing.
 *
 * @throws `lease_lost` the attempt has ended (unless this is the same end, told again) · `conflict` another conversation than before
 */
export async function takeReport(
  unit: Unit,
  task: TaskRow,
  attempt: AttemptRow,
  report: AttemptReport,
): Promise<LastRead<Attempt>> {
  if (attempt.endedAt !== null) {
    // The answer to the first telling was lost on its way.
    if (report.ended?.outcome === attempt.outcome) return new LastRead(() => shownAttempt(unit, attempt))
    throw leaseLost(`Attempt ${attempt.number} of ${task.id} has ended: ${attempt.outcome}`)
  }
  let now = attempt
  let current = task
  if (report.conversation !== undefined)
    [now, current] = await takeConversation(unit, current, now, report.conversation)
  if (report.process !== undefined) {
    await unit.tasks.updateAttempt(attempt.key, processPatch(report.process))
    await unit.feed('attempt.updated', { taskId: task.id, attemptId: attempt.id, state: 'live', process: true })
  }
  if (report.log !== undefined && report.log.length > 0) await takeLog(unit, task, attempt, report.log)
  for (const { questionId, behavior, rule } of report.taken ?? []) {
    const question = await unit.tasks.question(questionId)
    if (question?.attemptKey !== attempt.key) continue
    if (behavior !== undefined && question.status === 'open') await settleByRule(unit, task, question, behavior, rule)
    await unit.tasks.updateQuestion(questionId, { isTaken: true })
  }
  for (const { uuid, status } of report.inputs ?? []) {
    await noteInput(unit, attempt, messageId(uuid), status)
  }
  if (report.ended !== undefined) {
    await endAttempt(unit, current, now, checkedEnd(report.ended))
    now = (await unit.tasks.attempt(attempt.id)) ?? now
  } else if (report.process !== undefined) now = { ...now, ...processPatch(report.process) }
  const told = now
  return new LastRead(() => shownAttempt(unit, told))
}

/** Lines, a process and a conversation concern the task alone. Answers, inputs and an end concern messages and questions too. */
export function subjectOfReport(
  caller: Unit['caller'],
  id: AttemptRow['id'],
  { taken, inputs, ended, conversation }: AttemptReport,
): UnitSubject | undefined {
  if (caller.kind !== 'agent' || ended !== undefined || (taken ?? []).length > 0 || (inputs ?? []).length > 0)
    return undefined
  const about = { task: taskOf(id), agents: [caller.agentId] }
  return conversation === undefined ? about : { ...about, session: conversation.sessionId }
}

const processPatch = (process: NonNullable<AttemptReport['process']>) =>
  ({
    pid: process.pid,
    pidStarted: process.startedAt,
    cwd: process.cwd,
    branch: process.branch,
    base: process.base,
    cliVersion: process.cliVersion,
  }) satisfies AttemptPatch

async function takeConversation(
  unit: Unit,
  task: TaskRow,
  attempt: AttemptRow,
  reported: NonNullable<AttemptReport['conversation']>,
): Promise<[AttemptRow, TaskRow]> {
  checkNativeId('conversation.sessionId', reported.sessionId)
  if (attempt.conversation !== null) {
    if (attempt.conversation.sessionId === reported.sessionId) return [attempt, task]
    throw new AppError('conflict', `Attempt ${attempt.number} of ${task.id} already has another conversation.`, {
      details: { sessionId: attempt.conversation.sessionId },
    })
  }
  await mayNameConversation(unit, task, attempt.hostName, reported.sessionId)
  await unit.tasks.updateAttempt(attempt.key, { conversation: reported })
  const patch = knownConversation(reported.sessionId)
  await unit.tasks.updateTask(task.key, patch)
  const { rung, sessionId, resumedSessionId } = reported
  const ids = { taskId: task.id, attemptId: attempt.id }
  const whyNot = reported.whyNot
    .slice(0, MAX_REASONS)
    .map((each) => ({ rung: each.rung, reason: each.reason.slice(0, 100) }))
  await unit.feed('attempt.updated', { ...ids, state: 'live', rung, sessionId, resumedSessionId, whyNot })
  return [
    { ...attempt, conversation: reported },
    { ...task, ...patch },
  ]
}

async function takeLog(unit: Unit, task: TaskRow, attempt: AttemptRow, told: NonNullable<AttemptReport['log']>) {
  if (told.length > LOG_LINES)
    throw new AppError('too_large', `\`log\` has ${told.length} lines; the maximum per request is ${LOG_LINES}.`)
  const lines = told.map(({ at, kind, text }) => {
    const time = Date.parse(at)
    return { at: Number.isNaN(time) ? unit.now : time, attempt: attempt.number, kind, text: text.slice(0, LOG_TEXT) }
  })
  await unit.tasks.appendLog(task.key, lines)
  await unit.feed('task.updated', { taskId: task.id, attemptId: attempt.id, log: lines.length })
}

/** Texts of a run are cut, never refused: nobody could send them otherwise. */
function checkedEnd(end: AttemptEnd): AttemptEnd {
  const output = end.output === null ? null : end.output.slice(0, TASK_LIMITS.output)
  return { ...end, output, reason: end.reason.slice(0, 4_000) }
}

/**
 * The attempt of a caller that may report it.
 *
 * @throws `forbidden` not its own · `not_found`
 */
export async function reportedAttempt(unit: Unit, id: AttemptRow['id']): Promise<[TaskRow, AttemptRow]> {
  // Asked at once; the task's row is the lock of both.
  const [task, attempt, refusal] = await Promise.all([
    unit.tasks.taskOfAttempt(id),
    unit.tasks.attempt(id),
    mayReport(unit, id).then(
      () => undefined,
      (thrown: unknown) => ({ thrown }),
    ),
  ])
  if (refusal !== undefined && (attempt !== undefined || unit.caller.kind === 'attempt')) throw refusal.thrown
  if (attempt === undefined || task === undefined)
    throw new AppError('not_found', `There is no attempt ${JSON.stringify(id.slice(0, 100))}.`)
  return [task, attempt]
}

/** @throws `lease_lost` it has ended, or its task was taken from it */
export function requireLive(task: TaskRow, attempt: AttemptRow): void {
  if (attempt.endedAt !== null) throw leaseLost(`Attempt ${attempt.number} of ${task.id} has ended`)
  if (isFinal(task.status)) throw leaseLost(`Task ${task.id} is ${task.status}`)
}

/** An attempt as the API gives it. */
export async function shownAttempt(unit: Unit, row: AttemptRow): Promise<Attempt> {
  const agent = await agentOf(unit, row.agentKey)
  if (agent === undefined) throw new Error(`Attempt ${row.id} has no agent.`)
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
  return {
    id: row.id,
    taskId: row.taskId,
    number: row.number,
    isLive: row.endedAt === null,
    agentId: agent.id,
    agentName: agent.name,
    host: agent.hostname,
    hostName: row.hostName,
    conversation: row.conversation,
    dispatchReason: row.dispatchReason,
    agentCli: row.agentCli,
    cwd: row.cwd,
    branch: row.branch,
    base: row.base,
    cliVersion: row.cliVersion,
    process: row.pid === null ? null : { pid: row.pid, startedAt: row.pidStarted },
    leaseExpiresAt: iso(row.leaseExpiresAt),
    startedAt: new Date(row.startedAt).toISOString(),
    endedAt: iso(row.endedAt),
    outcome: row.outcome,
    failureClass: row.failureClass,
    failureReason: row.failureReason,
    exitCode: row.exitCode,
    signal: row.signal,
    numTurns: row.numTurns,
    costUsd: row.costUsd,
    usage: row.usage,
  }
}
