import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../api/client'
import type { SessionId } from '../domain/ids'
import type { Attempt, Task } from '../domain/task/task'
import type { Ledger } from './model-server'
import type { Check } from './proof'
import { ASKS_SUMMARY, PARCELS_FILE } from './story'
import { stillAlive, type TaskActSeen } from './task-act'
import { PARCEL_COUNT, TASKS, WORD } from './task-story'
import { readTranscriptFiles } from './transcript-files'

export interface TaskProofOptions {
  client: Client
  claudeRoot: string
  project: string
  ledger: Ledger
  seen: TaskActSeen
}

/** Holds what the record says of the tasks against the disk, the processes, and what the model was shown. */
export async function proveTasks(options: TaskProofOptions): Promise<Check[]> {
  const { client, project, ledger, seen } = options
  const pack = await client.tasks.get(seen.packId)
  const label = await client.tasks.get(seen.labelId)
  return [
    checkAttempts(pack.task, pack.attempts, seen),
    checkWork(project, seen),
    checkContinued(ledger, seen),
    await checkChild(options, label),
    checkReminder(label.task, ledger, seen),
  ]
}

/** What the model was shown in a conversation, oldest first. */
const shownIn = (ledger: Ledger, session: SessionId) =>
  ledger.requests.filter(({ sessionId, agentId }) => sessionId === session && agentId === null)

function checkAttempts(task: Task, attempts: Attempt[], { killed, parentSession }: TaskActSeen): Check {
  const [first, second] = attempts
  const how = attempts.map(({ outcome, failureClass, signal, conversation }) => ({
    outcome,
    failureClass,
    signal,
    rung: conversation?.rung ?? null,
    sessionId: conversation?.sessionId ?? null,
  }))
  return {
    claim: `task ${task.id} was completed once, in two attempts that never overlap: one ended by SIGKILL, one that went on in the same conversation`,
    isTrue:
      task.status === 'completed' &&
      first?.id === killed.attemptId &&
      isDeepStrictEqual(how, [
        { outcome: 'failed', failureClass: 'crash', signal: 'SIGKILL', rung: 'fresh', sessionId: parentSession },
        { outcome: 'completed', failureClass: null, signal: null, rung: 'native', sessionId: parentSession },
      ]) &&
      Date.parse(first.endedAt ?? '') <= Date.parse(second?.startedAt ?? ''),
    seen: JSON.stringify({ status: task.status, attempts: how }),
  }
}

function checkWork(project: string, { killed }: TaskActSeen): Check {
  const lines = readFileSync(join(project, PARCELS_FILE), 'utf8').split('\n').slice(0, -1)
  const alive = stillAlive(killed.processes)
  return {
    claim: `the ${killed.processes.length} processes of the first attempt ended with it, its shell among them: ${PARCEL_COUNT} parcels, each packed once`,
    isTrue:
      alive.length === 0 &&
      killed.processes.length > 1 &&
      isDeepStrictEqual(
        lines,
        Array.from({ length: PARCEL_COUNT }, (_, i) => `parcel ${i + 1}`),
      ),
    seen: `alive: ${alive.length} of ${killed.processes.length}; packed: ${lines.join(', ')}`,
  }
}

function checkContinued(ledger: Ledger, { parentSession }: TaskActSeen): Check {
  const requests = shownIn(ledger, parentSession)
  const resumed = requests.find(({ latest }) => latest.includes('Continue task'))
  const parts = [TASKS.pack, 'Pack what is missing']
  return {
    claim:
      'the second attempt began with the words of the first: its model was shown the task and the call that was cut off',
    isTrue: parts.every((part) => resumed?.conversation.includes(part) ?? false),
    seen: resumed ? 'its first request holds less' : `no request told it to continue; ${requests.length} others`,
  }
}

async function checkChild(
  { client, claudeRoot, ledger, seen }: TaskProofOptions,
  { task, attempts }: { task: Task; attempts: Attempt[] },
): Promise<Check> {
  const { parentSession, childSession, parentFiles } = seen
  const conversation = attempts[0]?.conversation
  const [first] = shownIn(ledger, childSession)
  const { session } = await client.sessions.get(childSession)
  const isShown = first?.conversation.includes(WORD) ?? false
  const isUntouched = isDeepStrictEqual(readTranscriptFiles(claudeRoot, parentSession).files, parentFiles)
  return {
    claim: `its child ${task.id} began with a copy of that conversation: its model was shown "${WORD}" at once, and the parent's files are as they were`,
    isTrue:
      attempts.length === 1 &&
      conversation?.rung === 'snapshot' &&
      conversation.resumedSessionId === parentSession &&
      childSession !== parentSession &&
      session.forkedFrom === parentSession &&
      isShown &&
      isUntouched,
    seen: JSON.stringify({
      attempts: attempts.length,
      conversation,
      forkedFrom: session.forkedFrom,
      isShown,
      isUntouched,
    }),
  }
}

function checkReminder(task: Task, ledger: Ledger, { childSession }: TaskActSeen): Check {
  const requests = shownIn(ledger, childSession)
  const at = requests.findIndex(({ latest }) => latest.includes(ASKS_SUMMARY))
  // Its start's reminder stands before; these are the words of the two moments.
  const before = remindersIn(requests[at]?.conversation, task, 'Keep the following goal')
  const after = remindersIn(requests[at + 1]?.conversation, task, 'The conversation was just compacted')
  return {
    claim: `it was compacted at work, and reminded of its goal once before and once after; it then finished by Lodeline's own tool: "${task.output ?? ''}"`,
    isTrue:
      before === 1 &&
      after === 1 &&
      task.status === 'completed' &&
      task.finishedBy === 'agent' &&
      (task.output ?? '').includes(WORD),
    seen: JSON.stringify({ compaction: at, before, after, status: task.status, by: task.finishedBy }),
  }
}

/** Reminders of this moment that hold the task's text. */
function remindersIn(conversation: string | undefined, { id, task }: Task, moment: string): number {
  const opening = `GOAL REMINDER from Lodeline: task ${id}. ${moment}`
  const [, ...texts] = (conversation ?? '').split(opening)
  return texts.filter((text) => text.includes(task)).length
}
