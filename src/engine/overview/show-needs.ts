import { basename } from 'node:path'
import { type BudgetRow, standingInWords } from '../../domain/budget/budget'
import type { SessionId, TaskId } from '../../domain/ids'
import { NEED_TEXT, type Need } from '../../domain/overview/overview'
import type {
  OverviewReads,
  RunFace,
  SessionFace,
  SessionWork,
  TaskFace,
  WeighedRun,
  WeighedTask,
} from '../../domain/overview/overview-store'
import { isSessionOver } from '../../domain/subagent/subagent-status'
import { consentCommand } from '../../domain/task/consent'
import type { SnoozedDraft } from './needs'
import type { NeedDraft, Scene } from './scene'
import { untakenCommand, untakenText, untakenTitle } from './untaken'
import { argument, callInput, callLine, cutAt, isoTime } from './words'

/** What the texts of needs are made of. */
interface Faces {
  scene: Scene
  task: TaskFace | null
  /** The first in the queue of several tasks that nobody takes. */
  first: TaskFace | null
  session: SessionFace | null
  work: SessionWork | null
  run: RunFace | null
}

/** Needs as a person is shown them: a few queries for any number. */
export async function showNeeds(
  reads: OverviewReads,
  scene: Scene,
  needs: readonly (NeedDraft | SnoozedDraft)[],
  causes: ReadonlyMap<string, string> = new Map(),
): Promise<Need[]> {
  const sessions = needs.flatMap(({ session }) => session?.key ?? [])
  const runs = needs.flatMap((need): WeighedRun[] => (need.kind === 'unread' ? [need.run] : []))
  const doing = needs.flatMap(({ kind, session }) => {
    const found = kind === 'waiting' || kind === 'stuck' || kind === 'lost' ? session : null
    return found === null ? [] : (scene.session(found.id) ?? [])
  })
  const [taskFaces, sessionFaces, works, runFaces] = await Promise.all([
    reads.taskFaces([...new Set(needs.flatMap((need) => (need.task ?? firstOf(need))?.key ?? []))]),
    reads.sessionFaces([...new Set(sessions)]),
    reads.sessionWork(doing),
    reads.runFaces(runs),
  ])
  const faceOf = (task: WeighedTask | null): TaskFace | null => (task && taskFaces.get(task.key)) ?? null
  return needs.map((need) =>
    toNeed(need, causes.get(need.id) ?? null, {
      scene,
      first: need.task === null ? faceOf(firstOf(need)) : null,
      task: faceOf(need.task),
      session: need.session === null ? null : (sessionFaces.get(need.session.key) ?? null),
      work: need.session === null ? null : (works.get(need.session.key) ?? null),
      run: need.kind === 'unread' ? (runFaces.get(`${need.run.subagentKey} ${need.run.number}`) ?? null) : null,
    }),
  )
}

/** The first in the queue of the tasks that nobody takes. */
export const firstOf = (need: NeedDraft): WeighedTask | null => (need.kind === 'untaken' ? need.group.first : null)

function toNeed(need: NeedDraft | SnoozedDraft, cause: string | null, faces: Faces): Need {
  const { text, isCut } = wordsOf(need, faces)
  const taskId = need.task?.id ?? namedTask(need)
  return {
    id: need.id,
    kind: need.kind,
    since: isoTime(need.since),
    title: titleOf(need, faces),
    text,
    isCut,
    evidence: need.evidence,
    project: faces.task?.project ?? faces.session?.project ?? null,
    taskId,
    sessionId: need.session?.id ?? need.task?.sessionId ?? null,
    issueId: faces.task?.issueId ?? faces.session?.issueId ?? null,
    subagentId: need.kind === 'unread' ? need.run.subagentId : null,
    inboxId: need.kind === 'request' ? need.request.id : null,
    messageId: need.kind === 'message' ? need.message.id : null,
    question: need.kind === 'question' ? need.question : null,
    failureClass: need.kind === 'failure' ? (need.task?.failureClass ?? null) : null,
    command: commandOf(need, faces.scene),
    canDismiss: need.kind !== 'question',
    cause,
    snoozedUntil: 'until' in need ? isoTime(need.until) : null,
  }
}

const namedTask = (need: NeedDraft): TaskId | null =>
  need.kind === 'question'
    ? need.question.taskId
    : need.kind === 'request'
      ? need.request.consentTo
      : need.kind === 'budget'
        ? need.budget.taskId
        : null

/** What a session is called. */
export const sessionTitle = (id: SessionId, face: Pick<SessionFace, 'title' | 'cwd'> | null): string =>
  face?.title ?? (face?.cwd ? basename(face.cwd) || face.cwd : `session ${id.slice(0, 8)}`)

/** What a sub-agent or background task is called. */
export const runTitle = (run: Pick<WeighedRun, 'kind' | 'subagentId'>, face: RunFace | null): string =>
  face?.description ?? face?.type ?? `${run.kind} ${run.subagentId}`

function titleOf(need: NeedDraft, { task, session, run }: Faces): string {
  if (need.kind === 'request') return `${need.request.sender} (${need.request.source})`
  if (need.kind === 'budget') return `budget ${need.budget.name}`
  if (need.kind === 'message') return `${need.message.kind} from ${need.message.fromName}`
  if (need.kind === 'unread') return runTitle(need.run, run)
  if (task !== null) return task.title
  if (need.kind === 'untaken') return untakenTitle(need.group)
  if (need.session !== null) return sessionTitle(need.session.id, session)
  return need.kind === 'question' ? need.question.toolName : need.id
}

function wordsOf(need: NeedDraft, faces: Faces): { text: string; isCut: boolean } {
  const { task, work, run } = faces
  const last = work?.newestCall ?? null
  switch (need.kind) {
    case 'question': {
      const { question } = need
      const cut = cutAt(
        [question.description, `${question.toolName}: ${inputText(question.input)}`].filter(Boolean).join('\n'),
        NEED_TEXT,
      )
      return { text: cut.text, isCut: cut.isCut || question.isCut }
    }
    case 'waiting':
      return cutAt(last === null ? '' : [last.name, callInput(last)].filter(Boolean).join('\n'), NEED_TEXT)
    case 'failure':
      return cutAt(failureText(task), NEED_TEXT)
    case 'stuck':
      return cutAt(last === null ? 'No call is open.' : callLine(last), NEED_TEXT)
    case 'lost':
      return cutAt(task?.attempt?.failureReason ?? (last === null ? (task?.reason ?? '') : callLine(last)), NEED_TEXT)
    case 'untaken':
      return cutAt(untakenText(need.group, faces.first?.title ?? null), NEED_TEXT)
    case 'unread':
      return cutAt(run?.result ?? '', NEED_TEXT)
    case 'budget':
      return { text: budgetText(need.budget, faces.scene.now), isCut: false }
    case 'request':
      return { text: need.request.text, isCut: need.request.isCut }
    case 'message':
      return { text: need.message.text, isCut: need.message.isCut }
  }
}

/** Why a task failed. */
export const failureText = (task: TaskFace | null): string =>
  task?.failureReason ?? task?.attempt?.failureReason ?? task?.reason ?? ''

function budgetText(budget: BudgetRow, now: number): string {
  const standing = `${standingInWords(budget, now)} is used.`
  if (budget.action === 'warn') return standing
  const until =
    budget.usedUntil === null ? 'until you allow more' : `until you allow more, or ${isoTime(budget.usedUntil)}`
  return `${standing} Its tasks wait ${until}.`
}

/** The one field of an input that a person reads first, else all of it. */
function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input === 'object' && input !== null) {
    for (const field of ['command', 'file_path', 'url', 'pattern', 'query']) {
      const value = (input as Record<string, unknown>)[field]
      if (typeof value === 'string') return value
    }
  }
  return JSON.stringify(input) ?? ''
}

function commandOf(need: NeedDraft, scene: Scene): string | null {
  const session = need.session === null ? null : argument(need.session.id)
  const task = need.task?.id ?? null
  switch (need.kind) {
    case 'question':
      return `lode question answer ${need.question.id} allow`
    case 'waiting':
      // It is answered where it was asked.
      return null
    case 'failure':
      return task === null ? null : `lode task retry ${task}`
    case 'stuck':
      return task !== null ? `lode task log ${task}` : session === null ? null : `lode session tree ${session}`
    case 'lost':
      return task !== null ? `lode task show ${task}` : session === null ? null : `lode session resume ${session}`
    case 'untaken':
      return untakenCommand(need.group)
    case 'unread': {
      const id = argument(need.run.subagentId)
      return id === null || session === null ? null : `lode subagent output ${id} --session ${session}`
    }
    case 'budget':
      return need.budget.action === 'warn' ? 'lode budget list' : `lode budget allow ${need.budget.name}`
    case 'request':
      return need.request.consentTo === null
        ? `lode inbox show ${need.request.id}`
        : consentCommand(need.request.consentTo)
    case 'message': {
      const at = need.message.session
      if (session === null || at === null) return `lode message show ${need.message.id}`
      const isOver = isSessionOver(at.signals) !== undefined || scene.session(at.id)?.status === 'ended'
      return isOver ? `lode session resume ${session}` : `lode session messages ${session}`
    }
  }
}
