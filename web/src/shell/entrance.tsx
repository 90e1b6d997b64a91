import type { QueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { isAppError } from '#domain/errors'
import { ErrorCard } from '../components/ui/error-card'
import { client, whenLoggedOut } from '../lib/api'
import { followChanges } from '../lib/live/live'
import { setMe, useMe, whenPeopleChange } from '../lib/me'
import { isNotifying } from '../lib/notify/notify'
import { LoginPage, takeCode } from './login-page'

type State = { kind: 'asking' } | { kind: 'in' } | { kind: 'out' } | { kind: 'failed'; error: unknown }

/** Shows the dashboard and keeps it live if the browser is logged in. Otherwise shows the login page at the same address. */
export function Entrance({ queries, children }: { queries: QueryClient; children: ReactNode }) {
  const [state, setState] = useState<State>({ kind: 'asking' })
  const [round, setRound] = useState(0)
  const following = useRef<AbortController | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round tries again
  useEffect(() => {
    const ending = new AbortController()
    following.current = ending
    async function enter() {
      try {
        const me = await client.login.me({ signal: ending.signal })
        if (ending.signal.aborted) return
        setMe(me)
        followChanges(queries, me.feedSeq, isNotifying, ending.signal)
        // A browser that is already logged in needs only the target of the link. The code is used up all the same: nobody else may.
        const taken = takeCode()
        if (taken !== null)
          void client.login
            .enter({ code: taken.code })
            // It may be another person's: the page names the logged-in person now.
            .then(async () => setMe(await client.login.me()))
            .catch(() => {})
        setState({ kind: 'in' })
      } catch (error) {
        if (ending.signal.aborted) return
        setState(isAppError(error) && error.code === 'unauthorized' ? { kind: 'out' } : { kind: 'failed', error })
      }
    }
    void enter()
    return () => ending.abort()
  }, [queries, round])

  useEffect(
    () =>
      whenLoggedOut(() => {
        // A logged-out tab must not stay the leader of the feed.
        following.current?.abort()
        queries.clear()
        setMe(null)
        setState({ kind: 'out' })
      }),
    [queries],
  )

  useFreshMe()
  const kind = useMe()?.kind

  const again = () => {
    setState({ kind: 'asking' })
    setRound((now) => now + 1)
  }
  switch (state.kind) {
    case 'asking':
      return null
    case 'in':
      // Shortcuts are bound anew where somebody may do more, or less, than before.
      return <Fragment key={kind}>{children}</Fragment>
    case 'out':
      return <LoginPage onIn={again} />
    case 'failed':
      return <ErrorCard error={state.error} onRetry={again} />
  }
}

/** Somebody was added, or got another role: perhaps the logged-in person. */
function useFreshMe(): void {
  useEffect(
    () =>
      whenPeopleChange(() => {
        client.login.me().then(setMe, () => {})
      }),
    [],
  )
}
