import type { SessionId } from '../../../domain/ids'
import type { AttemptConversation } from '../../../domain/task/task'
import type { ConversationSource } from '../../../domain/task/worker-protocol'

/** How the CLI is to be started, and what the log says of it. */
export interface Climbed {
  conversation: AttemptConversation
  launch:
    | { kind: 'new'; sessionId: SessionId }
    | { kind: 'resume'; sessionId: SessionId }
    | { kind: 'fork'; path: string; sessionId: SessionId }
  /** One line for the task's log. */
  words: string
}

export type WhyNot = AttemptConversation['whyNot']

/** Why a rung can't run: a word, and a sentence for a person. */
export interface Obstacle {
  reason: string
  detail: string | null
}

/** What the ladder looks at and does, each at most once and only when it is its turn. */
export interface LadderSteps {
  /** Somebody else's process that has the conversation open now. */
  openedBy(session: SessionId): { pid: number; kind: string } | null
  /** `null` = its transcript is where the CLI looks for it and is the newest there is. */
  localObstacle(session: SessionId): Promise<Obstacle | null>
  /** Writes the conversation from the record to where the CLI looks for it. `null` = done. */
  restore(session: SessionId): Promise<Obstacle | null>
  /**
   * For a conversation that another agent CLI has: rewrites it for this one, under an id made of the new one. Left out: this CLI has it.
   */
  translate?: (session: SessionId) => Promise<{ carried: string; sessionId: SessionId } | Obstacle>
  /** The CLI that has it, for a person. */
  holder?: string
  /** Writes the conversation, cut at its last finished turn, to a file of ours. */
  snapshot(session: SessionId): Promise<{ path: string; lastUuid: string } | Obstacle>
}

/**
 * Finds the best way in which an attempt can have its conversation and says why the better ones were passed over
 * (docs/architecture/resume.md).
 *
 * @param newId  the id of a conversation that begins now
 * @param passed  reasons for better conversations that were passed over already
 */
export async function climb(
  source: ConversationSource,
  steps: LadderSteps,
  newId: SessionId,
  passed: WhyNot = [],
): Promise<Climbed> {
  if (source.kind === 'none') return fresh(newId, [...passed, ...reasonsOf(source.reason)])
  const whyNot = [...passed, ...source.whyNot]
  if (source.startRung === 'fresh') return fresh(newId, whyNot)
  if (source.startRung === 'preamble') return preamble(source.sessionId, newId, whyNot)
  if (steps.translate !== undefined)
    return climbOver(source.sessionId, { ...steps, translate: steps.translate }, newId, whyNot)
  const { kind, sessionId } = source
  if (kind === 'own') return climbOwn(sessionId, steps, newId, whyNot)
  const words =
    kind === 'parent'
      ? `resuming parent session ${short(sessionId)} (fork)`
      : `continuing in a copy of session ${short(sessionId)}, cut where it was asked to`
  return forkOr(sessionId, steps, newId, whyNot, words)
}

async function climbOwn(session: SessionId, steps: LadderSteps, newId: SessionId, whyNot: WhyNot): Promise<Climbed> {
  const opener = steps.openedBy(session)
  if (opener !== null) {
    // Two writers would tear the conversation in two branches, of which the next resume sees one.
    const detail = `it is open in another process (${opener.kind}, pid ${opener.pid}); this run continues in a copy`
    const inUse = { reason: 'session_open', detail }
    whyNot.push({ rung: 'native', ...inUse }, { rung: 'restored', ...inUse })
    return forkOr(session, steps, newId, whyNot, `session ${short(session)} is open elsewhere: continuing in a copy`)
  }
  const local = await steps.localObstacle(session)
  if (local === null) return resumed('native', session, whyNot, `resuming own session ${short(session)}`)
  whyNot.push({ rung: 'native', ...local })
  const restored = await steps.restore(session)
  if (restored === null)
    return resumed('restored', session, whyNot, `restored session ${short(session)} from the record`)
  whyNot.push({ rung: 'restored', ...restored })
  return forkOr(session, steps, newId, whyNot, `continuing in a copy of session ${short(session)}`)
}

/** The conversation is one of another agent CLI, whose files this one does not read. */
async function climbOver(
  session: SessionId,
  { translate, holder = 'another agent CLI' }: LadderSteps & Required<Pick<LadderSteps, 'translate'>>,
  newId: SessionId,
  whyNot: WhyNot,
): Promise<Climbed> {
  const detail = `the conversation is one of ${holder}`
  for (const rung of ['native', 'restored', 'snapshot'] as const) whyNot.push({ rung, reason: 'other_agent', detail })
  const made = await translate(session)
  if ('reason' in made) {
    whyNot.push({ rung: 'translated', ...made })
    return preamble(session, newId, whyNot)
  }
  const { carried, sessionId } = made
  const about = {
    rung: 'translated' as const,
    sessionId,
    resumedSessionId: session,
    forked: false,
    forkPoint: null,
  }
  return {
    conversation: { ...about, whyNot, carried },
    launch: { kind: 'resume', sessionId },
    words: `session ${short(session)} of ${holder} continues here as ${sessionId}: ${carried}`,
  }
}

async function forkOr(
  session: SessionId,
  steps: LadderSteps,
  newId: SessionId,
  whyNot: WhyNot,
  words: string,
): Promise<Climbed> {
  const made = await steps.snapshot(session)
  if ('reason' in made) {
    whyNot.push({ rung: 'snapshot', reason: made.reason, detail: made.detail })
    return preamble(session, newId, whyNot)
  }
  return {
    conversation: {
      rung: 'snapshot',
      sessionId: newId,
      resumedSessionId: session,
      forked: true,
      forkPoint: made.lastUuid,
      whyNot,
    },
    launch: { kind: 'fork', path: made.path, sessionId: newId },
    words,
  }
}

function resumed(rung: 'native' | 'restored', session: SessionId, whyNot: WhyNot, words: string): Climbed {
  return {
    conversation: { rung, sessionId: session, resumedSessionId: session, forked: false, forkPoint: null, whyNot },
    launch: { kind: 'resume', sessionId: session },
    words,
  }
}

function preamble(session: SessionId, newId: SessionId, whyNot: WhyNot): Climbed {
  return {
    conversation: {
      rung: 'preamble',
      sessionId: newId,
      resumedSessionId: session,
      forked: false,
      forkPoint: null,
      whyNot,
    },
    launch: { kind: 'new', sessionId: newId },
    words: `session ${short(session)} can't be resumed${because(whyNot)}: starting a new one with a summary of it`,
  }
}

function fresh(newId: SessionId, whyNot: WhyNot): Climbed {
  const last = whyNot.at(-1)
  const words =
    last === undefined || last.reason === 'fresh_asked'
      ? `starting session ${short(newId)}`
      : `${FRESH_WORDS[last.reason] ?? `nothing to continue${because(whyNot)}`}: starting fresh`
  return {
    conversation: { rung: 'fresh', sessionId: newId, resumedSessionId: null, forked: false, forkPoint: null, whyNot },
    launch: { kind: 'new', sessionId: newId },
    words,
  }
}

const FRESH_WORDS: Readonly<Record<string, string>> = {
  parent_not_found: 'parent session not found',
  parent_has_no_session: 'the parent has no session',
}

const FRESH_DETAILS = {
  first: null,
  fresh_asked: 'a fresh conversation was requested',
  parent_not_found: 'the parent task does not exist',
  parent_has_no_session: 'the parent task never had a conversation',
} as const

function reasonsOf(reason: Extract<ConversationSource, { kind: 'none' }>['reason']): WhyNot {
  return reason === 'first' ? [] : [{ rung: 'snapshot', reason, detail: FRESH_DETAILS[reason] }]
}

const because = (whyNot: WhyNot) => {
  const last = whyNot.at(-1)
  return last === undefined ? '' : ` (${last.detail ?? last.reason.replaceAll('_', ' ')})`
}

/** As people see ids. */
export const short = (session: string) => session.slice(0, 8)
