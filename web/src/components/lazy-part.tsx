import { type ComponentType, useEffect, useState } from 'react'
import { AppError } from '../../../src/domain/errors'
import { useLive } from '../lib/live-state'
import { Loading } from './ui/empty'
import { ErrorCard } from './ui/error-card'

/**
 * A page or a part of one whose script is loaded when it is first shown. Where it can't be had (the server is away), it says so in its place and
 * comes by itself when the server is back; the rest of the page stays. A new server may have it under another name no more: then the page
 * is to be loaded anew.
 *
 * @param load  gives the component; asked again after a failure
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
    // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the server is back
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
  /** Loads it before it is shown; whoever shows it says what went wrong. */
  LazyPart.preload = (): Promise<void> => ask().catch(() => {})
  return LazyPart
}

const missing = (cause: unknown) =>
  new AppError('unavailable', 'This page could not be loaded: the server is away, or another one.', {
    hint: 'It comes by itself when the server is back.',
    cause,
  })
