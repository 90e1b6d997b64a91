import { needsCharacter, useCharacterKeys } from '../../lib/keys/character-keys'

/**
 * A shortcut as it is printed on keys: `g h`, `?`. Hidden on narrow screens unless `isAlways`, and while single-character shortcuts are off.
 */
export function KeyHint({ keys, isAlways = false }: { keys: string; isAlways?: boolean }) {
  const [doCharactersWork] = useCharacterKeys()
  if (!doCharactersWork && needsCharacter(keys)) return null
  const isMac = /mac|iphone|ipad/i.test(navigator.platform)
  return (
    <span className={`inline-flex gap-0.5 ${isAlways ? '' : 'max-md:hidden'}`} aria-hidden>
      {keys.split(' ').map((key) => (
        <kbd
          key={key}
          className="min-w-4 rounded-sm border border-line bg-sunken px-1 text-center font-mono text-2xs text-ink-2"
        >
          {key.replace('Mod+', isMac ? '⌘' : 'Ctrl ').replace('Arrow', '')}
        </kbd>
      ))}
    </span>
  )
}
