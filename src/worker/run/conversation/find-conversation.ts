import type { CliPlace, CliProgram, HarnessRun } from '../../../domain/harness/harness-run'
import { type AgentName, type SessionId, sessionId, type TaskId } from '../../../domain/ids'
import type { Attempt } from '../../../domain/task/task'
import type { Assignment, ConversationSource } from '../../../domain/task/worker-protocol'
import type { WorkerClient, WorkerOptions } from '../../options'
import type { AttemptFolder } from '../attempt-folder'
import { type AgentCli, runEnvironment } from '../cli/agent-cli'
import { begunSource } from './begun-source'
import { conversationSteps, isBegun, obstacle, whenArrived, whenRecorded } from './conversation-steps'
import { endFormer } from './former-run'
import { type Climbed, climb, type LadderSteps } from './ladder'
import { translateConversation } from './translate-conversation'

export interface FindOptions {
  assignment: Assignment
  options: WorkerOptions
  harness: HarnessRun
  program: AgentCli
  /** The agent CLI that has the conversation; `null` = not known: it is the one that runs. */
  holder: AgentName | null
  folder: AttemptFolder
  place: CliPlace
  /** Speaks as the worker. */
  client(): WorkerClient
  /** Resolves when no run of this task is left in this worker. */
  whenOver(task: TaskId): Promise<void>
  /** The task's attempts. */
  look(): Promise<{ attempts: Attempt[] }>
  /** Tries again while the server is away. */
  persist<T>(work: () => Promise<T>): Promise<T>
  signal: AbortSignal
}

/** The conversation of an attempt, made ready to be continued; what an earlier attempt left at work on it is ended first. */
export async function findConversation(given: FindOptions): Promise<Climbed> {
  const { assignment, options, harness, folder, place, client, signal } = given
  const { conversation: source, task } = assignment
  const former = await endFormer(assignment, options, () => given.persist(given.look))
  // A parent that has just said that it finished may still be writing its last words here.
  if (source.kind === 'parent' && !task.continueNow)
    await Promise.race([given.whenOver(source.parentTaskId), whenAborted(signal)])
  return given.persist(async () => {
    const at = { harness, place, client: client(), signal }
    const begun = await begunSource(assignment, {
      look: given.look,
      isBegun: (session) => isBegun({ ...at, formerCwd: cwdOf(source) }, session),
    })
    const steps = conversationSteps({
      ...at,
      program: programOf(given),
      formerCwd: cwdOf(begun.source),
      forkAt: begun.source.kind === 'fork' ? begun.source.at : null,
      writeSnapshot(bytes) {
        folder.write(folder.snapshot, bytes)
        return folder.snapshot
      },
    })
    const unlessHeld = former === null ? steps : { ...steps, openedBy: () => former }
    const newId = newSession()
    return climb(begun.source, { ...unlessHeld, ...translation(given, begun.source, newId) }, newId, begun.passed)
  })
}

/** The step of the ladder by which a conversation of another agent CLI is continued. */
function translation(
  given: FindOptions,
  source: ConversationSource,
  newId: SessionId,
): Pick<LadderSteps, 'translate' | 'holder'> {
  const { holder, harness, options, place, client } = given
  if (holder === null || holder === harness.agent || source.kind === 'none') return {}
  const from = options.harnessOf(holder)
  const isCopy = source.kind !== 'own'
  const { model } = given.assignment.task
  const into = options.harnessOf(harness.agent)
  const { version } = given.program
  const asked = { from, into, run: harness, program: programOf(given), place, version, model, newId, isCopy }
  return {
    holder: from.title,
    async translate(session) {
      try {
        await whenHeld(given, source, holder, session)
        return await translateConversation(session, { ...asked, client: client(), now: (options.now ?? Date.now)() })
      } catch (error) {
        return obstacle(error, { not_found: 'not_recorded', conflict: 'transcript_differs' })
      }
    },
  }
}

/** Waits until the record holds what this machine's copy of the conversation holds, where the other CLI can be asked for it. */
async function whenHeld(
  { options, place, client, signal }: FindOptions,
  source: ConversationSource,
  holder: AgentName,
  session: SessionId,
): Promise<void> {
  const harness = await options.runOf(holder).catch(() => null)
  if (harness !== null) {
    const root = options.rootOf(holder, runEnvironment(harness, options, {}))
    const at = { place: { root, cwd: place.cwd }, formerCwd: cwdOf(source) }
    await whenRecorded({ ...at, harness, client: client(), signal }, session)
  }
  await whenArrived({ client: client(), signal }, session)
}

const programOf = ({ program, harness, options }: FindOptions): CliProgram => ({
  path: program.path,
  env: runEnvironment(harness, options, {}),
})

const cwdOf = (source: ConversationSource): string | null => (source.kind === 'none' ? null : source.cwd)
/** With its time: some CLIs name a conversation's file by it. */
const newSession = () => sessionId(Bun.randomUUIDv7())

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
