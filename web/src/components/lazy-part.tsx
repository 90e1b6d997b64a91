import { type ComponentType, useEffect, useState } from 'react'
import { AppError } from '#domain/errors'
import { useLive } from '../lib/live/live-state'
import { Loading } from './ui/empty'
import { ErrorCard } from './ui/error-card'

/**
 * A component whose script is loaded when it is first shown. If loading fails because the server is unreachable, an error takes its place
 * until the server is back; the rest of the page stays. A newer server no longer has the old script; then the page has to be reloaded.
 *
 * @param load  loads the component; called again after a failure
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let part: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  const ask = (): Promise<void> => {
    loading ??= load()
      .then((loaded) => {
        part = loaded
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, as its module is read
  function LazyPart(props: Props) {
    const [error, setError] = useState<unknown>(null)
    const [, setRound] = useState(0)
    const isLive = useLive().kind === 'live'
    // biome-ignore lint/correctness/useExhaustiveDependencies: loads again when the server is back
    useEffect(() => {
      if (part === undefined) void ask().then(() => setRound((round) => round + 1), setError)
    }, [isLive])
    const Part = part
    if (Part !== undefined) return <Part {...props} />
    return error === null ? (
      <Loading what="Loading the page" />
    ) : (
      <ErrorCard error={missing(error)} onRetry={() => location.reload()} />
    )
  }
  /** Loads it before it is shown. Errors appear when it is shown. */
  LazyPart.preload = (): Promise<void> => ask().catch(() => {})
  return LazyPart
}

const missing = (cause: unknown) =>
  new AppError('unavailable', 'This page could not be loaded. The server is unreachable or was updated.', {
    hint: 'It appears when the server is back. After an update, reload the page.',
    cause,
  })
