import { DropdownMenu } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

export interface MenuItem {
  label: string
  icon?: ReactNode
  isDangerous?: boolean
  isDisabled?: boolean
  onSelect(): void
}

/** A menu behind a button. It is not modal, because that needs a style element, which our content security policy forbids. */
export function Menu({ trigger, items }: { trigger: ReactElement; items: readonly MenuItem[] }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 min-w-44 rounded border border-line bg-panel p-1 shadow-pop"
        >
          {items.map(({ label, icon, isDangerous, isDisabled, onSelect }) => (
            <DropdownMenu.Item
              key={label}
              disabled={isDisabled === true}
              onSelect={onSelect}
              className={`flex cursor-pointer items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover ${isDangerous === true ? 'text-fail' : ''}`}
            >
              {icon}
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
