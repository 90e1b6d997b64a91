import { createContext, useContext, useSyncExternalStore } from 'react'

/** Which rows the person opened. It outlives the rows' elements, which come and go as one scrolls. */
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
export const OpenProvider = OpenContext.Provider

/** Whether this row is open, and what opens or closes it. */
export function useOpen(id: string): [isOpen: boolean, toggle: () => void] {
  const set = useContext(OpenContext)
  const isOpen = useSyncExternalStore(set.subscribe, () => set.has(id))
  return [isOpen, () => set.set(id, !set.has(id))]
}

export const useOpenSet = (): OpenSet => useContext(OpenContext)
