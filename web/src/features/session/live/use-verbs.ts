import { useMemo } from 'react'
import { othersAtWorkers, useAgentClis } from '../../../lib/agent-clis'
import type { KnownSession, SessionDetail } from '../page/use-session-data'
import { type SessionVerb, sessionVerbs, type VerbState } from './session-verbs'
import { usePausedTask } from './use-paused-task'

const NONE: readonly VerbState[] = []

/** What can be done with a session; empty until it is loaded. */
export function useVerbs(session: KnownSession | null, worker: SessionDetail['worker']): readonly VerbState[] {
  const clis = useAgentClis()
  const paused = usePausedTask(session?.id ?? null, worker)
  return useMemo(() => {
    if (session === null) return NONE
    const own = clis.find(({ name }) => name === session.agent)
    const facts = {
      status: session.status,
      worker,
      paused,
      cli: own?.title ?? session.agent,
      canRun: own?.canRun ?? true,
    }
    return sessionVerbs({ ...facts, hasOther: othersAtWorkers(clis, session.agent).length > 0 })
  }, [session, worker, paused, clis])
}

export const isPossible = (verbs: readonly VerbState[], wanted: SessionVerb): boolean =>
  verbs.some(({ verb, whyNot }) => verb === wanted && whyNot === null)
