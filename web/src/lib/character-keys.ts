import { useSyncExternalStore } from 'react'

const KEY = 'lodeline.character-keys'
const listeners = new Set<() => void>()

/**
 * Whether keys of one character (`j`, `a`, `?`) do something. Who speaks to the computer turns them off: a word that it takes for typing
 * would press one key after another (WCAG 2.2, criterion 2.1.4).
 */
export const doCharacterKeysWork = (): boolean => localStorage.getItem(KEY) !== 'off'

/** Whether it needs a character: `g h` does, `Mod+k` and `Escape` don't. */
export const needsCharacter = (keys: string): boolean => keys.split(' ').some((key) => key.length <= 1)

export function useCharacterKeys(): [boolean, (doWork: boolean) => void] {
  const doWork = useSyncExternalStore((tell) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }, doCharacterKeysWork)
  return [
    doWork,
    (next) => {
      if (next) localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, 'off')
      for (const tell of listeners) tell()
    },
  ]
}
