import { Check, ChevronDown } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from '../../../components/ui/button'

/** A value of a filter. */
export interface Choice {
  id: string
  label: ReactNode
  /** Number of issues with it. */
  count?: number
}

interface PickManyProps {
  name: string
  choices: readonly Choice[]
  picked: readonly string[]
  onPick(picked: string[]): void
  /** Text if there are no choices. */
  none?: string
}

/** A menu of checkboxes. It stays open, so that several can be picked at once. */
export function PickMany({ name, choices, picked, onPick, none = 'Nothing to choose from.' }: PickManyProps) {
  const unlisted = picked.filter((id) => !choices.some((choice) => choice.id === id))
  const all = [...choices, ...unlisted.map((id): Choice => ({ id, label: id }))]
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button
          look={picked.length > 0 ? 'plain' : 'quiet'}
          className={picked.length > 0 ? 'border-accent text-accent' : ''}
        >
          {name}
          {picked.length > 0 ? (
            <span className="tabular-nums">
              {picked.length}
              <span className="sr-only"> selected</span>
            </span>
          ) : null}
          <ChevronDown aria-hidden size={12} />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 max-h-80 min-w-44 max-w-72 overflow-y-auto rounded border border-line bg-panel p-1 shadow-pop"
        >
          {all.length === 0 ? <p className="px-2 py-1 text-xs text-ink-3">{none}</p> : null}
          {all.map(({ id, label, count }) => (
            <DropdownMenu.CheckboxItem
              key={id}
              checked={picked.includes(id)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(isPicked) => onPick(isPicked ? [...picked, id] : picked.filter((one) => one !== id))}
              className="flex min-h-7 cursor-pointer items-center gap-2 rounded-sm px-2 py-0.5 text-sm outline-none data-[highlighted]:bg-hover max-md:min-h-9"
            >
              <span className="flex size-3.5 shrink-0 items-center justify-center rounded-[3px] border border-line-strong">
                {picked.includes(id) ? <Check aria-hidden size={11} strokeWidth={3} /> : null}
              </span>
              <span className="min-w-0 flex-1 truncate">{label}</span>
              {count === undefined ? null : <span className="text-xs text-ink-3">{count.toLocaleString('en')}</span>}
            </DropdownMenu.CheckboxItem>
          ))}
          {picked.length > 0 ? (
            <DropdownMenu.Item
              onSelect={() => onPick([])}
              className="mt-1 flex min-h-7 cursor-pointer items-center rounded-sm border-t border-line px-2 text-xs text-ink-2 outline-none data-[highlighted]:bg-hover max-md:min-h-9"
            >
              Clear
            </DropdownMenu.Item>
          ) : null}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
