import { CornerDownLeft } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { type Command, stepped } from '../lib/commands'
import { useCommands } from './commands/use-commands'
import { Dialog } from './ui/dialog'
import { KeyHint } from './ui/key-hint'

interface CommandBarProps {
  onClose(): void
  onKeys(): void
  onNote(text: string): void
}

/** Go somewhere, do something, open what an id or a title names, search. */
export function CommandBar({ onClose, onKeys, onNote }: CommandBarProps) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const listId = useId()
  const groups = useCommands(text, { onClose, onKeys, onNote })
  const all = groups.flatMap(({ commands }) => commands)
  // What the person chose stays current while answers come; else the first is.
  const current = all.find(({ id }) => id === chosen) ?? all[0]
  // Ids of issues may be anything, those of elements hold no blanks.
  const optionId = (command: Command) => `${listId}-${all.indexOf(command)}`
  const currentId = current === undefined ? undefined : optionId(current)

  useEffect(() => {
    if (currentId !== undefined) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' })
  }, [currentId])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(stepped(groups, current?.id ?? null, step))
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      current?.run()
    }
  }

  return (
    <Dialog title="Find or do" onClose={onClose} isBare>
      <input
        role="combobox"
        aria-label="Find or do"
        aria-expanded={all.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={currentId}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="Paste an id, name a place or an action, or search"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(null)
        }}
        onKeyDown={onKeyDown}
        className="sticky top-0 z-10 h-11 w-full border-b border-line bg-panel px-4 text-base outline-none placeholder:text-ink-3"
      />
      <div
        role="listbox"
        id={listId}
        aria-label="What there is"
        className="max-h-[60vh] scroll-py-8 overflow-y-auto p-1"
      >
        {groups.map(({ name, commands }, at) => (
          <div key={name} role="group" aria-labelledby={`${listId}-group-${at}`} className="pb-1">
            <div
              id={`${listId}-group-${at}`}
              role="presentation"
              className="px-3 pt-1.5 pb-0.5 text-2xs font-semibold text-ink-3"
            >
              {name}
            </div>
            {commands.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isCurrent={command === current}
                onPoint={() => setChosen(command.id)}
              />
            ))}
          </div>
        ))}
      </div>
      <output className="sr-only" aria-live="polite">
        {all.length === 1 ? '1 choice' : `${all.length} choices`}
      </output>
    </Dialog>
  )
}

interface OptionProps {
  id: string
  command: Command
  isCurrent: boolean
  onPoint(): void
}

function Option({ id, command, isCurrent, onPoint }: OptionProps) {
  const { label, detail, keys, run } = command
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field above
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      data-testid="command"
      onClick={run}
      onPointerMove={isCurrent ? undefined : onPoint}
      className={`flex min-h-7.5 cursor-pointer items-center gap-3 rounded px-3 text-sm max-md:min-h-10 ${isCurrent ? 'bg-hover' : ''}`}
    >
      <span dir="auto" className="truncate">
        {label}
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-2 text-xs text-ink-3">
        {detail}
        {keys === undefined ? null : <KeyHint keys={keys} />}
        <CornerDownLeft aria-hidden size={13} className={isCurrent ? '' : 'invisible'} />
      </span>
    </div>
  )
}
