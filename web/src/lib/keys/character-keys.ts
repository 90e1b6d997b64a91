import { keptChoice } from '../kept-choice'

const kept = keptChoice('lodeline.character-keys', ['on', 'off'])

/**
 * Whether single-character shortcuts (`j`, `a`, `?`) are on. People who use speech input can turn them off: a misheard word would trigger
 * one shortcut after another (WCAG 2.2, criterion 2.1.4).
 */
export const doCharacterKeysWork = (): boolean => kept.read() === 'on'

/** Whether a shortcut uses single characters: `g h` does; `Mod+k` and `Escape` don't. */
export const needsCharacter = (keys: string): boolean => keys.split(' ').some((key) => key.length <= 1)

/** Whether single-character shortcuts are on, and a function that turns them on or off. */
export const useCharacterKeys = (): [boolean, (doWork: boolean) => void] => [
  kept.useChoice() === 'on',
  (next) => kept.choose(next ? 'on' : 'off'),
]
