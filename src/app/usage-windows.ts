/** What is used of subscriptions' windows on this machine, as far as files and status lines of agent CLIs tell. */
import type { Config } from '../config/load'
import { isToldWindow, shownWindows, type UsageWindow } from '../domain/budget/usage-window'
import { defaultHarness, harnesses } from '../harness/registry'
import { readWindows } from '../util/statusline-file'

/** Pages ask often; windows move slowly. */
const KEPT_MS = 5_000

/** Each agent CLI's newest word. */
export function usageWindowsOf(config: Pick<Config, 'home' | 'agents'>): () => Promise<UsageWindow[]> {
  let kept: { at: number; windows: UsageWindow[] } | null = null
  return async () => {
    const now = Date.now()
    if (kept !== null && now - kept.at < KEPT_MS) return kept.windows
    const windows: UsageWindow[] = []
    for (const { name, root, usageWindows } of harnesses()) {
      const read = await usageWindows?.()
      if (read === undefined) continue
      const found = (config.agents[name]?.homes ?? [root(process.env)])
        .map(read)
        .filter((one) => one !== null)
        .sort((a, b) => b.at - a.at)
      const [newest] = found
      if (newest !== undefined) windows.push(...shownWindows(name, newest.told.filter(isToldWindow), newest.at, now))
    }
    // Only one CLI has a status line that calls us.
    const drawn = readWindows(config.home)
    if (drawn !== null)
      windows.unshift(...shownWindows(defaultHarness().name, drawn.windows.filter(isToldWindow), drawn.at, now))
    kept = { at: now, windows }
    return windows
  }
}
