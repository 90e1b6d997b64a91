import { keptChoice } from './kept-choice'

const kept = keptChoice('lodeline.character-keys', ['on', 'off'])

/**
 * Whether keys of one character (`j`, `a`, `?`) do something. Who speaks to the computer turns them off: a word that it takes for typing
 * would press one key after another (WCAG 2.2, criterion 2.1.4).
 */
export const doCharacterKeysWork = (): boolean => kept.read() === 'on'

/** Whether it needs a character: `g h` does, `Mod+k` and `Escape` don't. */
export const needsCharacter = (keys: string): boolean => keys.split(' ').some((key) => key.length <= 1)

export const useCharacterKeys = (): [boolean, (doWork: boolean) => void] => [
  kept.useChoice() === 'on',
  (next) => kept.choose(next ? 'on' : 'off'),
]
