import { needsCharacter, useCharacterKeys } from '../lib/character-keys'
import { useBoundKeys } from '../lib/keys'
import { Dialog } from './ui/dialog'
import { KeyHint } from './ui/key-hint'
import { Tick } from './ui/tick'

/** Every key that does something now, by where it belongs. */
export function KeyList({ onClose }: { onClose(): void }) {
  const bound = useBoundKeys()
  const [doCharactersWork, setCharactersWork] = useCharacterKeys()
  const groups = Map.groupBy(
    bound
      .filter((one, at) => bound.findIndex((other) => other.keys === one.keys) === at)
      .filter(({ keys }) => doCharactersWork || !needsCharacter(keys)),
    (one) => one.group,
  )
  return (
    <Dialog title="Keys" onClose={onClose} isWide isText>
      <div className="gap-6 sm:columns-2">
        {[...groups].map(([group, keys]) => (
          <section key={group} className="mb-4 break-inside-avoid">
            <h3 className="pb-1 text-xs font-semibold text-ink-3">{group}</h3>
            <ul className="flex flex-col gap-1">
              {keys.map((one) => (
                <li key={one.keys} className="flex items-center gap-3 text-sm">
                  <span className="w-16 shrink-0">
                    <KeyHint keys={one.keys} isAlways />
                    <span className="sr-only">{one.keys}</span>
                  </span>
                  {one.label}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="border-t border-line pt-3">
        <Tick
          label="Keys of one character do something. Without them, only Enter, Escape, arrows and keys with Ctrl or Cmd do: for who speaks to the computer."
          is={doCharactersWork}
          onIs={setCharactersWork}
          isSmall
        />
      </div>
    </Dialog>
  )
}
