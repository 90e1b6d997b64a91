/** Which sessions have our mod of Claude Code at work: those that asked a moment ago. */
export interface LiveMods {
  /** The mod of this session asked now. */
  heard(session: string): void
  hears(session: string): boolean
}

/** Longer than a mod lets pass between two questions. */
const HEARD_MS = 15_000

export function liveMods(now: () => number = Date.now): LiveMods {
  const last = new Map<string, number>()
  return {
    heard(session) {
      for (const [id, at] of last) if (now() - at > HEARD_MS) last.delete(id)
      last.set(session, now())
    },
    hears: (session) => now() - (last.get(session) ?? Number.NEGATIVE_INFINITY) <= HEARD_MS,
  }
}

/** Where no mod can be heard. */
export const NO_MODS: LiveMods = { heard() {}, hears: () => false }
