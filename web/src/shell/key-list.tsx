import { Dialog } from '../components/ui/dialog'
import { KeyHint } from '../components/ui/key-hint'
import { Tick } from '../components/ui/tick'
import { needsCharacter, useCharacterKeys } from '../lib/keys/character-keys'
import { useBoundKeys } from '../lib/keys/keys'

/** Every shortcut that works now, by group. */
export function KeyList({ onClose }: { onClose(): void }) {
  const bound = useBoundKeys()
  const [doCharactersWork, setCharactersWork] = useCharacterKeys()
  const groups = Map.groupBy(
    bound
      .filter(
        (one, at) =>
          one.isChoice !== true &&
          bound.findIndex(({ keys, isChoice }) => keys === one.keys && isChoice !== true) === at,
      )
      .filter(({ keys }) => doCharactersWork || !needsCharacter(keys)),
    (one) => one.group,
  )
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} isWide isText>
      <div className="gap-6 sm:columns-2">
        {[...groups].map(([group, keys]) => (
          <section key={group} className="mb-4 break-inside-avoid">
            <h3 className="pb-1 text-xs font-semibold text-ink-3">{group}</h3>
            <ul className="flex flex-col gap-1">
              {keys.map((one) => (
                <li key={one.keys} className="flex items-start gap-3 text-sm">
                  <span className="w-16 shrink-0">
                    <KeyHint keys={one.keys} isAlways />
                    <span className="sr-only">{one.keys}</span>
                  </span>
                  <span className="first-letter:uppercase">{one.label}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="border-t border-line pt-3">
        <Tick
          label="Single-character shortcuts. Turn them off if you use speech input; then only Enter, Escape, arrow keys and shortcuts with Ctrl or Cmd work."
          is={doCharactersWork}
          onIs={setCharactersWork}
          isSmall
        />
      </div>
    </Dialog>
  )
}
