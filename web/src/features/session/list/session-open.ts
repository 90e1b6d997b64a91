import { createContext, useContext, useSyncExternalStore } from 'react'

/** IDs of the rows that the person opened. It outlives the rows' elements, which are mounted only while visible. */
export class OpenSet {
  private readonly ids = new Set<string>()
  private readonly listeners = new Set<() => void>()
  private version = 0

  subscribe = (tell: () => void): (() => void) => {
    this.listeners.add(tell)
    return () => this.listeners.delete(tell)
  }

  getVersion = (): number => this.version

  has = (id: string): boolean => this.ids.has(id)

  set(id: string, isOpen: boolean): void {
    if (this.ids.has(id) === isOpen) return
    if (isOpen) this.ids.add(id)
    else this.ids.delete(id)
    this.version++
    for (const tell of this.listeners) tell()
  }
}

const OpenContext = createContext(new OpenSet())
/** Provides the set of open rows to rows. */
export const OpenProvider = OpenContext.Provider

/** Whether a row is open, and a function that toggles it. */
export function useOpen(id: string): [isOpen: boolean, toggle: () => void] {
  const set = useContext(OpenContext)
  const isOpen = useSyncExternalStore(set.subscribe, () => set.has(id))
  return [isOpen, () => set.set(id, !set.has(id))]
}

/** The set of open rows. */
export const useOpenSet = (): OpenSet => useContext(OpenContext)
