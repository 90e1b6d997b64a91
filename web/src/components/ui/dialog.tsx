import { X } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from './button'

interface DialogProps {
  title: string
  onClose(): void
  children: ReactNode
  /** Below the content: its buttons. */
  foot?: ReactNode
  isWide?: boolean
  /** No heading to be seen; `title` still names it. */
  isBare?: boolean
  /** All text: nothing in it takes the focus, so it takes it itself to be scrolled by keys. */
  isText?: boolean
}

/**
 * A modal dialog. The browser's own element: it keeps the focus in, gives it back, closes by Escape and makes the rest inert. Libraries
 * do the same with a style element that our content security policy refuses.
 */
export function Dialog({
  title,
  onClose,
  children,
  foot,
  isWide = false,
  isBare = false,
  isText = false,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  // Before it is painted, and closed before it is taken away: else the focus would not go back. What is in it comes when it is open: a field
  // of a closed dialog takes no focus.
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    setOpen(true)
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; a press on the ground is a shorter way for pointers
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose()
      }}
      className={`m-auto mt-[8vh] max-h-[84vh] w-[calc(100vw-1.5rem)] overflow-hidden rounded-lg border border-line bg-panel p-0 text-ink shadow-pop ${isWide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      {isOpen ? (
        <div className="flex max-h-[84vh] flex-col">
          {isBare ? null : (
            <header className="flex items-center justify-between border-b border-line py-1.5 pr-1.5 pl-4">
              <h2 className="text-sm font-semibold">{title}</h2>
              <IconButton label="Close" onClick={onClose}>
                <X aria-hidden size={16} />
              </IconButton>
            </header>
          )}
          <div
            {...(isText ? { tabIndex: 0, role: 'region', 'aria-label': title } : {})}
            className={`min-h-0 overflow-y-auto focus-visible:outline-offset-[-2px] ${isBare ? '' : 'p-4'}`}
          >
            {children}
          </div>
          {foot === undefined ? null : (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-2.5">
              {foot}
            </footer>
          )}
        </div>
      ) : null}
    </dialog>
  )
}
