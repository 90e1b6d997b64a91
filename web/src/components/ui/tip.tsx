import { Tooltip } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

/** A tooltip, on hover and focus. */
export function Tip({ text, children }: { text: ReactNode; children: ReactElement }) {
  return (
    <Tooltip.Provider delayDuration={350}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content
            sideOffset={5}
            collisionPadding={8}
            className="z-50 max-w-80 rounded border border-line bg-panel px-2 py-1 text-xs text-ink shadow-pop"
          >
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  )
}
