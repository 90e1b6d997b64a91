/** Sleeps until `woken` resolves, the time is over or the signal aborts. Never rejects. */
export function sleepUntil(woken: Promise<void>, ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      over.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    over.addEventListener('abort', done, { once: true })
    if (over.aborted) done()
    void woken.then(done)
  })
}
