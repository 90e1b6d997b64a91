import type { SessionDetail } from '../page/use-session-data'

/** What a person can do with a session's agent. */
export const SESSION_VERBS = ['send', 'interrupt', 'stop', 'continue', 'fork', 'before'] as const
export type SessionVerb = (typeof SESSION_VERBS)[number]

export interface VerbState {
  verb: SessionVerb
  label: string
  /** What it does. */
  does: string
  /** Why it is not possible now; null = it is. */
  whyNot: string | null
}

export interface VerbFacts {
  status: NonNullable<SessionDetail['session']>['status']
  /** The attempt that runs or ran the session. */
  worker: Pick<NonNullable<SessionDetail['worker']>, 'taskId' | 'isLive'> | null
  /** The task of that attempt, if it is paused. */
  paused: string | null
  /** Name of its agent CLI. */
  cli: string
  /** Whether Lodeline can run that CLI. */
  canRun: boolean
  /** Whether a worker can continue it in another agent CLI. */
  hasOther: boolean
}

/** Which verbs a session allows, by who runs it and how. */
export function sessionVerbs({ status, worker, paused, cli, canRun, hasOther }: VerbFacts): VerbState[] {
  const task = worker?.isLive ? worker.taskId : null
  const isOver = status === 'ended' || status === 'lost'
  const isWorking = status === 'running' || status === 'waiting' || status === 'stuck'
  const recordedOnly = `Lodeline records ${cli} and cannot run it.`
  const notOurs = (how: string) =>
    isWorking ? `Lodeline did not start this session: ${how} in its terminal.` : 'Nothing is running.'
  const whyNot: Record<SessionVerb, string | null> = {
    send: canRun ? null : recordedOnly,
    interrupt: task === null ? notOurs('press Esc') : null,
    stop: task === null ? notOurs('end it') : null,
    continue:
      task !== null
        ? `Task ${task} continues it now.`
        : paused !== null
          ? `Task ${paused} is paused: resume that one.`
          : !canRun
            ? hasOther
              ? null
              : recordedOnly
            : isOver
              ? null
              : 'A process may still have it open: end that first, or fork.',
    fork: canRun ? null : recordedOnly,
    before: canRun ? null : recordedOnly,
  }
  return SESSION_VERBS.map((verb) => ({ verb, ...WORDS[verb], whyNot: whyNot[verb] }))
}

const WORDS: Record<SessionVerb, Pick<VerbState, 'label' | 'does'>> = {
  send: { label: 'Send', does: 'The agent reads your message at its next step, or when the conversation continues.' },
  interrupt: { label: 'Interrupt', does: 'Ends the turn now; the agent goes on with your words.' },
  stop: { label: 'Stop', does: 'Pauses the task: the agent CLI saves the conversation and ends. Resume continues it.' },
  continue: { label: 'Resume as a task', does: 'A worker continues the conversation.' },
  fork: {
    label: 'Fork from here',
    does: 'A worker continues in a copy that ends at the chosen line. Choose a row, then press F or its button.',
  },
  before: {
    label: 'Continue from before a compaction',
    does: 'The same, with the conversation as it was before it was compacted. The button is at the compaction.',
  },
}
