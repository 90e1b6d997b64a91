/** Whether a launch repeats one whose agent runs or whose result nobody has read. Pure. */
import type { LaunchCall, LaunchMatch, UnreadLaunch } from '../../domain/session/launch'
import { similarity } from '../../domain/similarity'
import { GONE } from '../../domain/subagent/subagent-run'
import { isSessionOver } from '../../domain/subagent/subagent-status'

/** Prompts from here on are the same work in other words. */
const SIMILAR = 0.8
/** Characters of two prompts that are compared by likeness. */
const COMPARED_CHARACTERS = 2_000
/** Launches that are compared so. */
const MAX_COMPARED = 20
/** As the record keeps prompts: what is longer is known by its beginning alone, which proves nothing. */
const KEPT_CHARACTERS = 20_000

/**
 * The launch that this call repeats, newest first; `null` = none that is certain.
 *
 * An agent in the foreground holds its parent up, so two at once were asked for together. One that was killed was not wanted.
 */
export function matchLaunch(call: LaunchCall, unread: readonly UnreadLaunch[]): LaunchMatch | null {
  const prompt = call.prompt.trim()
  const known = unread.flatMap((launch) => {
    const state = stateOf(launch, call)
    return state === null ? [] : [{ launch, state }]
  })
  const isWhole = prompt.length < KEPT_CHARACTERS
  const same = isWhole ? known.find(({ launch }) => launch.prompt.trim() === prompt) : undefined
  if (same !== undefined) return toMatch(same.launch, same.state, 'same')
  const alike = known
    .slice(0, MAX_COMPARED)
    .find(
      ({ launch, state }) =>
        state !== 'lost' && similarity(launch.prompt.trim(), prompt, COMPARED_CHARACTERS) >= SIMILAR,
    )
  return alike === undefined ? null : toMatch(alike.launch, alike.state, 'similar')
}

function stateOf(launch: UnreadLaunch, { session, processStartedAt }: LaunchCall): LaunchMatch['state'] | null {
  if (launch.status === 'killed' && launch.evidence === GONE) return launch.lastWordsAt === null ? 'lost' : 'completed'
  if (launch.status === 'killed') return null
  if (launch.status !== null) return launch.status
  const isOwn = launch.sessionId === session
  const isOlder = processStartedAt !== null && launch.startedAt !== null && launch.startedAt < processStartedAt
  // The calling session itself lives, whatever was last heard of it.
  const isGone = isOwn ? isOlder : isOlder || isSessionOver(launch.signals) !== undefined
  if (isGone && launch.lastWordsAt !== null) return 'completed'
  if (!launch.isBackground) return null
  return isGone ? 'lost' : 'running'
}

function toMatch(launch: UnreadLaunch, state: LaunchMatch['state'], likeness: LaunchMatch['likeness']): LaunchMatch {
  const { subagentId, sessionId, description, outputFile, startedAt } = launch
  const at = startedAt === null ? null : new Date(startedAt)
  return {
    subagentId,
    sessionId,
    description,
    outputFile,
    startedAt: at === null || Number.isNaN(at.getTime()) ? null : at.toISOString(),
    state,
    likeness,
  }
}
